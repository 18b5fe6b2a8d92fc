"""A cluster in one process, over HTTPS."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.integration.up.process import PATIENCE, PODS, Up, pod, up


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    kubeconfig = tmp_path_factory.mktemp("up") / "config"
    with up("--in-memory", "--nodes", "3", "--kubeconfig", kubeconfig) as running:
        yield running


def test_it_says_what_to_type_and_that_it_is_ready(cluster: Up) -> None:
    assert cluster.lines[-1] == "ready"
    assert any(line.startswith("export KUBECONFIG=") for line in cluster.lines)
    assert str(cluster.server.hostname) == "127.0.0.1"


def test_nobody_else_may_read_the_kubeconfig(cluster: Up) -> None:
    assert cluster.kubeconfig.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("token", ["", "guess"])
def test_others_are_not_let_in(cluster: Up, token: str) -> None:
    status, answer = cluster.request("GET", PODS, token=token)
    assert (status, answer["reason"]) == (401, "Unauthorized")


def test_nodes_are_ready(cluster: Up) -> None:
    def all_ready(nodes: dict[str, list[dict[str, dict[str, list[dict[str, str]]]]]]) -> bool:
        conditions = [c for node in nodes["items"] for c in node["status"].get("conditions", [])]
        return sum(c["type"] == "Ready" and c["status"] == "True" for c in conditions) == 3

    nodes = cluster.wait("/api/v1/nodes", all_ready)
    assert [node["metadata"]["name"] for node in nodes["items"]] == ["node-1", "node-2", "node-3"]


def test_a_pod_is_scheduled_runs_and_ends(cluster: Up) -> None:
    wishes = {"nominee.dev/duration": "1s"}
    cluster.create(PODS, pod("job", wishes, restartPolicy="Never"))
    done = cluster.wait(f"{PODS}/job", lambda p: p["status"].get("phase") == "Succeeded")
    assert done["spec"]["nodeName"].startswith("node-")
    assert done["status"]["podIP"]


def test_a_pod_that_fits_nowhere_is_told_why(cluster: Up) -> None:
    cluster.create(PODS, pod("picky", nodeSelector={"disk": "ssd"}))

    def told(found: dict[str, dict[str, list[dict[str, str]]]]) -> bool:
        return any(c.get("reason") == "Unschedulable" for c in found["status"].get("conditions", []))

    found = cluster.wait(f"{PODS}/picky", told)
    [condition] = found["status"]["conditions"]
    assert condition["message"].startswith("0/3 nodes are available: 3 node(s) didn't match")


def test_a_deployment_gets_its_pods(cluster: Up) -> None:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "app"}]},
    }
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    }
    path = "/apis/apps/v1/namespaces/default/deployments"
    cluster.create(path, deployment)
    cluster.wait(f"{path}/web", lambda found: found["status"].get("readyReplicas") == 2)


def test_a_volume_is_made_for_a_pod_before_it_is_bound(cluster: Up) -> None:
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "slow"},
        "provisioner": "nominee.dev/simulated",
        "volumeBindingMode": "WaitForFirstConsumer",
        "parameters": {"delay": "1s", "topologyKey": "kubernetes.io/hostname"},
    }
    cluster.create("/apis/storage.k8s.io/v1/storageclasses", storage_class)
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data"},
        "spec": {
            "storageClassName": "slow",
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    cluster.create("/api/v1/namespaces/default/persistentvolumeclaims", claim)
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    cluster.create(PODS, pod("db", volumes=volumes))
    nominated = cluster.wait(f"{PODS}/db", lambda p: bool(p["status"].get("nominatedNodeName")))
    assert "nodeName" not in nominated["spec"]
    running = cluster.wait(f"{PODS}/db", lambda p: p["status"].get("phase") == "Running")
    assert running["spec"]["nodeName"] == nominated["status"]["nominatedNodeName"]


def test_devices_are_claimed_by_a_template(cluster: Up) -> None:
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": "gpus",
            "labels": {"nominee.dev/simulated": "true", "gpus": "yes"},
            "annotations": {"nominee.dev/devices": "gpu=2", "nominee.dev/device-delay": "100ms"},
        },
    }
    cluster.create("/api/v1/nodes", node)
    group = "/apis/resource.k8s.io/v1"
    expression = "device.driver == 'devices.nominee.dev'"
    device_class = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu"},
        "spec": {"selectors": [{"cel": {"expression": expression}}]},
    }
    cluster.create(f"{group}/deviceclasses", device_class)
    requests = [{"name": "one", "exactly": {"deviceClassName": "gpu"}}]
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "gpu"},
        "spec": {"spec": {"devices": {"requests": requests}}},
    }
    cluster.create(f"{group}/namespaces/default/resourceclaimtemplates", template)
    claims = [{"name": "g", "resourceClaimTemplateName": "gpu"}]
    cluster.create(PODS, pod("trainer", resourceClaims=claims))
    running = cluster.wait(f"{PODS}/trainer", lambda p: p["status"].get("phase") == "Running")
    assert running["spec"]["nodeName"] == "gpus"
    found = cluster.get(f"{group}/namespaces/default/resourceclaims")
    [claim] = found["items"]
    assert claim["status"]["reservedFor"][0]["name"] == "trainer"


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    with up("--data", tmp_path, "--no-scheduler") as first:
        created = first.create(PODS, pod("kept"))
        first.process.kill()
    with up("--data", tmp_path) as second:
        assert second.get(f"{PODS}/kept")["metadata"]["uid"] == created["metadata"]["uid"]
        assert second.token == first.token
        newer = second.create(PODS, pod("another"))
        assert int(newer["metadata"]["resourceVersion"]) > int(created["metadata"]["resourceVersion"])
        assert second.interrupt() == 0


def test_without_the_scheduler_pods_wait_for_somebody_elses(tmp_path: Path) -> None:
    with up("--in-memory", "--no-scheduler", "--nodes", "1", "--kubeconfig", tmp_path / "config") as running:
        running.create(PODS, pod("waits"))
        running.wait("/api/v1/nodes", lambda nodes: len(nodes["items"]) == 1)
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": "waits"},
            "target": {"kind": "Node", "name": "node-1"},
        }
        assert "nodeName" not in running.get(f"{PODS}/waits")["spec"]
        running.create(f"{PODS}/waits/binding", binding)
        running.wait(f"{PODS}/waits", lambda p: p["status"].get("phase") == "Running")


def test_an_error_of_the_disk_ends_it_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    with up("--data", tmp_path, "--no-scheduler", largest_file=400_000) as first:
        with contextlib.suppress(OSError, HTTPException):
            while True:
                name = f"pod-{len(acknowledged)}"
                status, _ = first.request("POST", PODS, pod(name, {"pad": "x" * 5_000}))
                if status != 201:
                    break
                acknowledged.append(name)
        assert first.process.wait(PATIENCE) == 1
        assert first.process.stderr is not None
        last = first.process.stderr.read().splitlines()[-1]
    assert last.startswith(f"nominee: error: {tmp_path / 'cluster.db'}: ")
    assert acknowledged
    with up("--data", tmp_path, "--no-scheduler") as second:
        kept = {each["metadata"]["name"] for each in second.get(PODS)["items"]}
    assert set(acknowledged) <= kept
