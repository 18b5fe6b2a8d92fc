"""What Kubernetes says of specifications that are wrong, in its words and with its paths."""

from typing import Any

import pytest

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds.pods import PODS
from tests.unit.apiserver.kinds.checking import errors_of
from tests.unit.apiserver.kinds.pods import container, pod

C0 = "spec.containers[0]"
RESOURCES = f"{C0}.resources"


def of_container(**fields: Any) -> list[str]:
    return errors_of(PODS, pod(container(**fields)))


def of_spec(**fields: Any) -> list[str]:
    return errors_of(PODS, pod(**fields))


def of_resources(*, limits: JsonObject | None = None, **requests: Any) -> list[str]:
    resources: JsonObject = {"requests": {name.replace("_", "-"): text for name, text in requests.items()}}
    if limits is not None:
        resources["limits"] = limits
    return of_container(resources=resources)


def test_a_plain_pod_is_good() -> None:
    assert of_spec() == []


def test_a_pod_has_a_container() -> None:
    item = pod()
    item["spec"]["containers"] = []
    assert errors_of(PODS, item) == ["spec.containers: Required value"]


def test_containers_have_a_name_and_an_image() -> None:
    assert of_container(name="", image="") == [f"{C0}.image: Required value", f"{C0}.name: Required value"]
    assert of_container(name="a.b") == [f'{C0}.name: Invalid value: "a.b": must not contain dots']
    assert of_container(image=" a ") == [
        f'{C0}.image: Invalid value: " a ": must not have leading or trailing whitespace'
    ]


def test_names_of_containers_are_unique_among_all() -> None:
    item = pod(container(), container(), initContainers=[container()])
    assert errors_of(PODS, item) == [
        'spec.containers[1].name: Duplicate value: "app"',
        'spec.initContainers[0].name: Duplicate value: "app"',
    ]


def test_ports_have_numbers_names_and_protocols() -> None:
    ports = [{"name": "a"}, {"name": "a", "containerPort": 65536, "hostPort": -1, "protocol": "tcp"}]
    between = "must be between 1 and 65535, inclusive"
    assert of_container(ports=ports) == [
        f"{C0}.ports[0].containerPort: Required value",
        f"{C0}.ports[1].containerPort: Invalid value: 65536: {between}",
        f"{C0}.ports[1].hostPort: Invalid value: -1: {between}",
        f'{C0}.ports[1].name: Duplicate value: "a"',
        f'{C0}.ports[1].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"',
    ]


def test_no_two_containers_share_a_port_of_the_host() -> None:
    port = {"containerPort": 80, "hostPort": 80}
    item = pod(container(ports=[port]), container(name="b", ports=[port]))
    assert errors_of(PODS, item) == ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"']


def test_variables_have_names_and_one_source() -> None:
    both = {"fieldRef": {"fieldPath": "spec.nodeName"}, "secretKeyRef": {"name": "s", "key": "k"}}
    env = [{"value": "x"}, {"name": "A", "valueFrom": both}, {"name": "B", "value": "x", "valueFrom": both}]
    assert of_container(env=env) == [
        f"{C0}.env[0].name: Required value",
        f'{C0}.env[1].valueFrom: Invalid value: "": may not have more than one field specified at a time',
        f'{C0}.env[2].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
    ]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("metadata.labels['a.b/c']", []),
        ("metadata.name", []),
        ("spec.host", []),
        (
            "status.phase",
            (
                'Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", '
                '"metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", '
                '"status.hostIPs", "status.podIP", "status.podIPs"'
            ),
        ),
        (
            "spec.foo",
            'Invalid value: "spec.foo": error converting fieldPath: field label not supported: spec.foo',
        ),
    ],
)
def test_variables_may_name_some_fields(field: str, expected: str | list[str]) -> None:
    errors = of_container(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": field}}}])
    assert errors == (expected and [f"{C0}.env[0].valueFrom.fieldRef.fieldPath: {expected}"])


def test_requests_stay_within_limits() -> None:
    assert of_resources(cpu="2", limits={"cpu": "1500m"}) == [
        f'{RESOURCES}.requests: Invalid value: "2": must be less than or equal to cpu limit of 1500m'
    ]


def test_amounts_are_not_negative() -> None:
    assert of_resources(memory="-1Gi") == [
        f'{RESOURCES}.requests[memory]: Invalid value: "-1Gi": must be greater than or equal to 0'
    ]


def test_resources_are_known_or_have_a_domain() -> None:
    path = f"{RESOURCES}.requests[gpu]"
    assert of_resources(gpu="1") == [
        f'{path}: Invalid value: "gpu": must be a standard resource for containers',
        f'{path}: Invalid value: "gpu": must be a standard resource type or fully qualified',
    ]
    assert of_resources(pods="1") == [
        f'{RESOURCES}.requests[pods]: Invalid value: "pods": must be a standard resource for containers'
    ]


def test_extended_resources_are_whole_and_have_a_limit() -> None:
    gpu = "example.com/gpu"
    assert errors_of(PODS, pod(container(resources={"requests": {gpu: "1"}}))) == [
        f"{RESOURCES}.limits: Required value: Limit must be set for non overcommitable resources"
    ]
    assert errors_of(PODS, pod(container(resources={"requests": {gpu: "1"}, "limits": {gpu: "2"}}))) == [
        f'{RESOURCES}.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2'
    ]
    assert errors_of(PODS, pod(container(resources={"limits": {gpu: "0.5"}}))) == [
        f'{RESOURCES}.limits[{gpu}]: Invalid value: "500m": must be an integer',
        f'{RESOURCES}.requests[{gpu}]: Invalid value: "500m": must be an integer',
    ]


def test_huge_pages_come_in_pages_and_not_alone() -> None:
    assert of_container(resources={"limits": {"hugepages-2Mi": "3Mi"}}) == [
        (
            f"{RESOURCES}.limits[hugepages-2Mi]: Invalid value: "
            '"3Mi": 3Mi is not positive integer multiple of hugepages-2Mi'
        ),
        (
            f"{RESOURCES}.requests[hugepages-2Mi]: Invalid value: "
            '"3Mi": 3Mi is not positive integer multiple of hugepages-2Mi'
        ),
        f"{RESOURCES}: Forbidden: HugePages require cpu or memory",
    ]


def test_containers_name_claims_of_their_pod() -> None:
    item = pod(
        container(resources={"claims": [{"name": "a"}, {"name": "a"}, {"name": "b"}]}),
        resourceClaims=[{"name": "a", "resourceClaimName": "x"}, {"name": "c"}],
    )
    choose = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
    assert errors_of(PODS, item) == [
        f'{RESOURCES}.claims[1]: Duplicate value: "a"',
        f'{RESOURCES}.claims[2]: Not found: "b": must be one of the names in pod.spec.resourceClaims: a, c',
        f'spec.resourceClaims[1]: Invalid value: {{"name":"c"}}: {choose}',
    ]


def test_pod_level_limits_bound_those_of_the_containers() -> None:
    one = container(resources={"requests": {"cpu": "2"}, "limits": {"cpu": "3"}})
    errors = errors_of(PODS, pod(one, resources={"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}))
    assert errors == [
        (
            'spec.resources.containers[0][cpu].limits: Invalid value: "3": '
            "must be less than or equal to pod limits of 2"
        ),
        (
            'spec.resources.requests[cpu]: Invalid value: "1": '
            "must be greater than or equal to aggregate container requests of 2"
        ),
    ]


def test_mounts_are_of_volumes_that_are_there() -> None:
    mounts = [{"name": "v", "mountPath": "/a"}, {"name": "w", "mountPath": "/a", "subPath": "../b"}]
    item = pod(container(volumeMounts=mounts), volumes=[{"name": "v"}])
    assert errors_of(PODS, item) == [
        f"{C0}.volumeMounts.subPath: Invalid value: \"../b\": must not contain '..'",
        f'{C0}.volumeMounts[1].mountPath: Invalid value: "/a": must be unique',
        f'{C0}.volumeMounts[1].name: Not found: "w"',
    ]


def test_volumes_have_unique_names_and_one_source() -> None:
    volumes = [
        {"name": "a", "hostPath": {"path": ""}},
        {"name": "b", "emptyDir": {"sizeLimit": "-1"}, "secret": {"secretName": "s"}},
        {"name": "c"},
        {"name": "c"},
    ]
    assert of_spec(volumes=volumes) == [
        "spec.volumes[0].hostPath.path: Required value",
        "spec.volumes[1].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity",
        "spec.volumes[1].secret: Forbidden: may not specify more than 1 volume type",
        'spec.volumes[3].name: Duplicate value: "c"',
    ]


def test_claims_in_ephemeral_volumes_ask_for_something() -> None:
    volume = {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["RWO"]}}}}
    path = "spec.volumes[0].ephemeral.volumeClaimTemplate.spec"
    assert of_spec(volumes=[volume]) == [
        (
            f'{path}.accessModes: Unsupported value: "RWO": supported values: '
            '"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
        ),
        f"{path}.resources[storage]: Required value",
    ]


def test_choices_are_among_those_that_there_are() -> None:
    assert of_spec(restartPolicy="always") == [
        'spec.restartPolicy: Unsupported value: "always": supported values: "Always", "OnFailure", "Never"'
    ]
    assert of_spec(preemptionPolicy="x") == [
        'spec.preemptionPolicy: Unsupported value: "x": supported values: "PreemptLowerPriority", "Never"'
    ]
    known = '"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"'
    assert of_spec(dnsPolicy="x") == [f'spec.dnsPolicy: Unsupported value: "x": supported values: {known}']


def test_tolerations_make_sense() -> None:
    tolerations = [
        {"operator": "Equal", "value": "x"},
        {"key": "a", "operator": "Exists", "value": "x"},
        {"key": "a", "operator": "Like"},
        {"key": "a", "operator": "Exists", "effect": "Never"},
        {"key": "a", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 1},
    ]
    all_keys = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
    assert of_spec(tolerations=tolerations) == [
        f'spec.tolerations[0].operator: Invalid value: "Equal": {all_keys}',
        "spec.tolerations[1].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'",
        'spec.tolerations[2].operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
        (
            'spec.tolerations[3].effect: Unsupported value: "Never": supported values: "NoSchedule", '
            '"PreferNoSchedule", "NoExecute"'
        ),
        (
            "spec.tolerations[4].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when "
            "`tolerationSeconds` is set"
        ),
    ]


def test_affinity_to_nodes_has_terms_that_can_be_met() -> None:
    required = {
        "nodeSelectorTerms": [
            {"matchExpressions": [{"key": "a", "operator": "In"}, {"key": "b", "operator": "Has"}]},
            {"matchFields": [{"key": "metadata.uid", "operator": "In", "values": ["x"]}]},
        ]
    }
    path = "spec.affinity.nodeAffinity"
    terms = f"{path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
    preferred = [{"weight": 101, "preference": {}}]
    affinity = {
        "requiredDuringSchedulingIgnoredDuringExecution": required,
        "preferredDuringSchedulingIgnoredDuringExecution": preferred,
    }
    assert of_spec(affinity={"nodeAffinity": affinity}) == [
        (
            f"{path}.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: "
            "must be in the range 1-100"
        ),
        (
            f"{terms}[0].matchExpressions[0].values: Required value: "
            "must be specified when `operator` is 'In' or 'NotIn'"
        ),
        f'{terms}[0].matchExpressions[1].operator: Invalid value: "Has": not a valid selector operator',
        f'{terms}[1].matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key',
    ]


def test_affinity_to_pods_needs_a_topology() -> None:
    term = {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}}
    path = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    errors = of_spec(affinity=affinity)
    assert errors[0] == (
        f"{path}.labelSelector.matchExpressions[0].values: Forbidden: "
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
    )
    assert f"{path}.topologyKey: Required value: can not be empty" in errors


def test_a_selector_does_not_repeat_what_keys_say() -> None:
    term = {"topologyKey": "z", "labelSelector": {"matchLabels": {"app": "x"}}, "matchLabelKeys": ["app"]}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    path = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
    assert of_spec(affinity=affinity) == [
        f'{path}[0]: Invalid value: "app": exists in both matchLabelKeys and labelSelector'
    ]


def test_spread_constraints_are_unique_and_whole() -> None:
    good = {"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}
    bad = {"maxSkew": 0, "whenUnsatisfiable": "Maybe", "minDomains": 0}
    path = "spec.topologySpreadConstraints"
    assert of_spec(topologySpreadConstraints=[good, good, bad]) == [
        f'{path}[0].{{topologyKey, whenUnsatisfiable}}: Duplicate value: "{{z, DoNotSchedule}}"',
        f"{path}[2].maxSkew: Invalid value: 0: must be greater than zero",
        (
            f"{path}[2].minDomains: Invalid value: 0: can only use minDomains if "
            "whenUnsatisfiable=DoNotSchedule, not Maybe"
        ),
        f"{path}[2].minDomains: Invalid value: 0: must be greater than zero",
        f"{path}[2].topologyKey: Required value: can not be empty",
        (
            f'{path}[2].whenUnsatisfiable: Unsupported value: "Maybe": supported values: "DoNotSchedule", '
            '"ScheduleAnyway"'
        ),
    ]


def test_a_gated_pod_has_no_node_yet() -> None:
    gates = [{"name": "a.b/c"}, {"name": "a.b/c"}]
    assert of_spec(schedulingGates=gates, nodeName="n") == [
        "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
        'spec.schedulingGates[1]: Duplicate value: "a.b/c"',
    ]


def test_deadlines_are_positive() -> None:
    assert of_spec(activeDeadlineSeconds=0) == [
        "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"
    ]


def test_probes_do_one_thing() -> None:
    probe = {"exec": {}, "tcpSocket": {"port": 80}, "successThreshold": 2}
    path = f"{C0}.livenessProbe"
    assert of_container(livenessProbe=probe, readinessProbe={}) == [
        f"{path}.exec.command: Required value",
        f"{path}.successThreshold: Invalid value: 2: must be 1",
        f"{path}.tcpSocket: Forbidden: may not specify more than 1 handler type",
        f"{C0}.readinessProbe: Required value: must specify a handler type",
    ]


def test_only_sidecars_among_the_first_containers_have_probes() -> None:
    probe = {"exec": {"command": ["x"]}}
    plain = container(name="one", livenessProbe=probe)
    sidecar = container(name="two", livenessProbe=probe, restartPolicy="Always")
    assert of_spec(initContainers=[plain, sidecar]) == [
        (
            "spec.initContainers[0].livenessProbe: Forbidden: "
            "may not be set for init containers without restartPolicy=Always"
        )
    ]


def test_ephemeral_containers_come_later() -> None:
    one = {"name": "debug", "image": "sh"}
    assert of_spec(ephemeralContainers=[one]) == [
        "spec.ephemeralContainers: Forbidden: cannot be set on create"
    ]


def test_security_contexts_are_consistent() -> None:
    context = {"runAsUser": -1, "privileged": True, "allowPrivilegeEscalation": False}
    shown = '{"allowPrivilegeEscalation":false,"privileged":true,"runAsUser":-1}'
    assert of_container(securityContext=context) == [
        f"{C0}.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
        (
            f"{C0}.securityContext: Invalid value: {shown}: "
            "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        ),
    ]


def test_pods_of_users_of_their_own_share_no_host_namespaces() -> None:
    assert of_spec(hostUsers=False, hostPID=True) == ["spec.HostPID: Forbidden: when `hostUsers` is false"]


def test_windows_pods_are_no_linux_pods() -> None:
    assert of_spec(os={"name": "windows"}, securityContext={"fsGroup": 1}) == [
        "spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod"
    ]
    assert of_spec(os={"name": "plan9"}) == [
        'spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'
    ]


def test_name_servers_have_addresses() -> None:
    assert of_spec(dnsPolicy="None") == [
        "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"
    ]
    assert of_spec(dnsConfig={"nameservers": ["10.0.0.256", "010.0.0.1"]}) == [
        (
            'spec.dnsConfig.nameservers[0]: Invalid value: "10.0.0.256": '
            "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
        ),
        'spec.dnsConfig.nameservers[1]: Invalid value: "010.0.0.1": must not have leading 0s',
    ]


def test_a_specification_that_was_good_is_looked_at_again_where_it_depends_on_the_pod() -> None:
    cost = "controller.kubernetes.io/pod-deletion-cost"
    assert errors_of(PODS, pod()) == []
    assert errors_of(PODS, pod(annotations={cost: "1.5"})) == [
        f'metadata.annotations[{cost}]: Invalid value: "1.5": must be a 32bit integer'
    ]
