from typing import Any

import pytest

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.pod.defaults import default_pod_template
from nominee.apiserver.kinds.pod.images import default_pull_policy
from nominee.apiserver.kinds.pods import PODS
from tests.unit.apiserver.kinds.checking import NOW, made
from tests.unit.apiserver.kinds.pods import container, pod


def spec_of(*containers: JsonObject, **spec: Any) -> JsonObject:
    filled: JsonObject = made(PODS, pod(*containers, **spec))["spec"]
    return filled


def test_a_plain_pod_is_filled_in() -> None:
    assert made(PODS, pod()) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
        "spec": {
            "containers": [
                {
                    "name": "app",
                    "image": "registry.example/app:1",
                    "imagePullPolicy": "IfNotPresent",
                    "terminationMessagePath": "/dev/termination-log",
                    "terminationMessagePolicy": "File",
                    "resources": {},
                }
            ],
            "dnsPolicy": "ClusterFirst",
            "enableServiceLinks": True,
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30,
        },
        "status": {"phase": "Pending", "qosClass": "BestEffort"},
    }


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.27", "IfNotPresent"),
        ("localhost:5000/nginx", "Always"),
        ("localhost:5000/nginx:v1", "IfNotPresent"),
        ("nginx@sha256:" + "0" * 64, "IfNotPresent"),
        ("NGINX", "IfNotPresent"),
        ("", "IfNotPresent"),
    ],
)
def test_images_without_a_tag_are_the_latest(image: str, policy: str) -> None:
    assert default_pull_policy(image) == policy


def test_what_has_a_limit_asks_for_as_much() -> None:
    resources = {"limits": {"cpu": "0.5", "memory": "1.5Gi"}, "requests": {"cpu": 0.25}}
    assert spec_of(container(resources=resources))["containers"][0]["resources"] == {
        "limits": {"cpu": "500m", "memory": "1536Mi"},
        "requests": {"cpu": "250m", "memory": "1536Mi"},
    }


def test_templates_leave_requests_and_host_ports_open() -> None:
    one = container(resources={"limits": {"cpu": "1"}}, ports=[{"containerPort": 80}])
    template: JsonObject = {"spec": {"containers": [one], "hostNetwork": True}}
    default_pod_template(template)
    filled = template["spec"]["containers"][0]
    assert filled["resources"] == {"limits": {"cpu": "1"}}
    assert filled["ports"] == [{"containerPort": 80, "protocol": "TCP"}]
    assert "enableServiceLinks" not in template["spec"]


def test_amounts_are_rounded_up_to_thousandths() -> None:
    one = container(resources={"requests": {"cpu": "0.0001", "memory": "1e3"}})
    assert spec_of(one)["containers"][0]["resources"]["requests"] == {"cpu": "1m", "memory": "1e3"}


def test_ports_on_the_host_network_are_the_hosts() -> None:
    one = container(ports=[{"containerPort": 80}])
    ports = spec_of(one, hostNetwork=True)["containers"][0]["ports"]
    assert ports == [{"containerPort": 80, "hostPort": 80, "protocol": "TCP"}]


def test_probes_have_times_and_handlers_a_scheme() -> None:
    one = container(
        livenessProbe={"httpGet": {"port": 80}, "periodSeconds": 5}, lifecycle={"preStop": {"httpGet": {}}}
    )
    filled = spec_of(one)["containers"][0]
    assert filled["livenessProbe"] == {
        "httpGet": {"port": 80, "path": "/", "scheme": "HTTP"},
        "periodSeconds": 5,
        "timeoutSeconds": 1,
        "successThreshold": 1,
        "failureThreshold": 3,
    }
    assert filled["lifecycle"]["preStop"]["httpGet"] == {"path": "/", "scheme": "HTTP"}


def test_a_volume_that_says_nothing_is_an_empty_directory() -> None:
    volumes = [
        {"name": "a"},
        {"name": "b", "hostPath": {"path": "/b"}},
        {"name": "c", "configMap": {"name": "c"}},
        {"name": "d", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
        {"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
    ]
    filled = spec_of(volumes=volumes)["volumes"]
    assert filled[0]["emptyDir"] == {}
    assert filled[1]["hostPath"] == {"path": "/b", "type": ""}
    assert filled[2]["configMap"]["defaultMode"] == 420
    assert filled[3]["projected"]["sources"][0]["serviceAccountToken"]["expirationSeconds"] == 3600
    assert filled[4]["ephemeral"]["volumeClaimTemplate"]["spec"]["volumeMode"] == "Filesystem"


def test_a_negative_grace_period_is_one_second() -> None:
    assert spec_of(terminationGracePeriodSeconds=-7)["terminationGracePeriodSeconds"] == 1


def test_both_names_of_the_service_account_agree() -> None:
    assert spec_of(serviceAccount="robot")["serviceAccountName"] == "robot"


def test_a_client_can_not_give_a_new_pod_its_status() -> None:
    item = {**pod(), "status": {"phase": "Running", "nominatedNodeName": "n"}}
    assert made(PODS, item)["status"] == {"phase": "Pending", "qosClass": "BestEffort"}


def test_a_gated_pod_says_so_in_its_status() -> None:
    status = made(PODS, pod(schedulingGates=[{"name": "a.b/c"}]))["status"]
    assert status["conditions"] == [
        {
            "type": "PodScheduled",
            "status": "False",
            "lastTransitionTime": NOW,
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
        }
    ]


def test_keys_that_match_labels_become_part_of_the_selector() -> None:
    term = {
        "topologyKey": "zone",
        "labelSelector": {"matchLabels": {"x": "y"}},
        "matchLabelKeys": ["app", "absent"],
        "mismatchLabelKeys": ["app"],
    }
    spread = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {},
        "matchLabelKeys": ["app"],
    }
    spec = spec_of(
        affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}},
        topologySpreadConstraints=[spread],
    )
    required = spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert required[0]["labelSelector"]["matchExpressions"] == [
        {"key": "app", "operator": "In", "values": ["web"]},
        {"key": "app", "operator": "NotIn", "values": ["web"]},
    ]
    assert spec["topologySpreadConstraints"][0]["labelSelector"] == {
        "matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]
    }


def test_pod_level_requests_follow_from_those_of_the_containers() -> None:
    first = container(name="sidecar", restartPolicy="Always", resources={"requests": {"cpu": "100m"}})
    two = container(resources={"requests": {"cpu": "250m"}})
    spec = spec_of(two, initContainers=[first], resources={"limits": {"cpu": "1", "memory": "1Gi"}})
    assert spec["resources"] == {
        "limits": {"cpu": "1", "memory": "1Gi"},
        "requests": {"cpu": "350m", "memory": "1Gi"},
    }


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        ({"limits": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1000m"}}, "Guaranteed"),
        ({"limits": {"example.com/gpu": "1"}}, "BestEffort"),
    ],
)
def test_the_class_of_service_follows_from_resources(resources: dict[str, object], expected: str) -> None:
    assert made(PODS, pod(container(resources=resources)))["status"]["qosClass"] == expected


def test_containers_of_different_classes_make_a_burstable_pod() -> None:
    full = container(resources={"limits": {"cpu": "1", "memory": "1Gi"}})
    assert made(PODS, pod(full, container(name="other")))["status"]["qosClass"] == "Burstable"
