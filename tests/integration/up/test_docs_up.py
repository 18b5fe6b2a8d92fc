"""What docs/up.md tells people to type works, with shorter delays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from nominee.cli.up import up as command
from tests.integration.up.process import PODS, Up, up

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "up.md").read_text()
PATHS = {
    "DeviceClass": "/apis/resource.k8s.io/v1/deviceclasses",
    "Node": "/api/v1/nodes",
    "PersistentVolumeClaim": "/api/v1/namespaces/default/persistentvolumeclaims",
    "Pod": PODS,
    "ResourceClaimTemplate": "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
    "StorageClass": "/apis/storage.k8s.io/v1/storageclasses",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    kubeconfig = tmp_path_factory.mktemp("up") / "config"
    with up("--in-memory", "--no-dashboard", "--kubeconfig", kubeconfig) as running:
        running.create(PATHS["Node"], manifest("Node"))
        yield running


def manifest(kind: str, name: str | None = None) -> dict[str, Any]:
    """The manifest of a kind in the page, with shorter delays."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    documents = (each for block in blocks for each in yaml.safe_load_all(block.replace("20s", "3s")))
    found: dict[str, Any] = next(
        each for each in documents if each["kind"] == kind and name in (None, each["metadata"]["name"])
    )
    return found


def annotate(cluster: Up, node: str, annotations: dict[str, str]) -> None:
    found = cluster.get(f"{PATHS['Node']}/{node}")
    found["metadata"].setdefault("annotations", {}).update(annotations)
    status, answer = cluster.request("PUT", f"{PATHS['Node']}/{node}", found)
    assert status == 200, answer


def test_every_option_is_described_and_every_described_one_exists() -> None:
    options = {name for option in command.params for name in option.opts if name.startswith("--")}
    described = set(re.findall(r"`(--[a-z-]+)", TEXT))
    assert options - {"--verbose"} <= described
    assert described <= options | {"--kubeconfig"}


def test_a_node_of_ones_own_is_run(cluster: Up) -> None:
    cluster.wait(f"{PATHS['Node']}/big", lambda node: bool(node["status"].get("conditions")))


def test_a_volume_takes_its_time_and_the_node_is_known_meanwhile(cluster: Up) -> None:
    for kind in ("StorageClass", "PersistentVolumeClaim"):
        cluster.create(PATHS[kind], manifest(kind))
    cluster.create(PODS, manifest("Pod", "db"))
    waiting = cluster.wait(f"{PODS}/db", lambda pod: "nominatedNodeName" in pod["status"])
    assert "nodeName" not in waiting["spec"]
    cluster.wait(f"{PODS}/db", lambda pod: pod["spec"].get("nodeName") == "big")


def test_devices_are_offered_and_allocated(cluster: Up) -> None:
    annotate(cluster, "big", {"nominee.dev/devices": "gpu=2,nic=1"})
    for kind in ("DeviceClass", "ResourceClaimTemplate"):
        cluster.create(PATHS[kind], manifest(kind))
    cluster.create(PODS, manifest("Pod", "train"))
    cluster.wait(f"{PODS}/train", lambda pod: pod["spec"].get("nodeName") == "big")
