import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tools.vectors import needed_plugins, select


def pod(**spec: Any) -> dict[str, Any]:
    return {"kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


def case(pending: dict[str, Any], *objects: dict[str, Any]) -> dict[str, Any]:
    return {"pod": pending, "objects": list(objects)}


GPU = {"kind": "DeviceClass", "spec": {"extendedResourceName": "example.com/gpu"}}
WANTS_GPU = pod(containers=[{"name": "c", "resources": {"requests": {"example.com/gpu": "1"}}}])
WANTS_DISK = pod(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}])


@pytest.mark.parametrize(
    ("needy", "plugin"),
    [
        (case(WANTS_DISK), "VolumeBinding"),
        (case(pod(resourceClaims=[{"name": "gpu"}])), "DynamicResources"),
        (case(WANTS_GPU, GPU), "DynamicResources"),
    ],
)
def test_a_claim_needs_its_plugin(needy: dict[str, Any], plugin: str) -> None:
    assert plugin in needed_plugins(needy)


@pytest.mark.parametrize("plain", [case(pod()), case(WANTS_GPU), case(pod(), GPU), case(pod(), WANTS_DISK)])
def test_claims_of_other_pods_do_not_matter(plain: dict[str, Any]) -> None:
    assert not needed_plugins(plain)


def test_select_keeps_the_rest_and_counts_what_it_leaves_out(tmp_path: Path) -> None:
    plain = case(pod())
    source, target = tmp_path / "ports.jsonl.gz", tmp_path / "ports.jsonl"
    source.write_bytes(gzip.compress(f"{json.dumps(plain)}\n{json.dumps(case(WANTS_GPU, GPU))}\n".encode()))
    assert select(source, target, {"DynamicResources"}) == 1
    assert [json.loads(line) for line in target.read_text().splitlines()] == [plain]
