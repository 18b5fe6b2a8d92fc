"""Clients that are not ours, unchanged: the official one for Python, lightkube, and kubectl."""

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes.client
import kubernetes.config
import kubernetes.watch
import lightkube
import pytest
from lightkube.core.exceptions import ApiError
from lightkube.models.core_v1 import Container, PodSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import ConfigMap, Node, Pod
from lightkube.types import PatchType

SDK = Path("/usr/lib/google-cloud-sdk/bin")
KUBECTLS = [*(sorted(SDK.glob("kubectl.1.*"))[:1]), *(sorted(SDK.glob("kubectl.1.*"))[-1:])] or [
    Path(found) for found in [shutil.which("kubectl")] if found
]

official: Any = kubernetes  # its types are generated, and say None of everything


pytestmark = [  # they leave sockets to the garbage collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def use_the_official_client(kubeconfig: Path) -> list[str]:
    """Everything that programs do with it; what it saw on the way."""
    api_client = official.config.new_client_from_config(str(kubeconfig))
    core = official.client.CoreV1Api(api_client)
    spec = {"containers": [{"name": "c", "image": "i"}]}
    for name in ("a", "b"):
        body = {"metadata": {"name": name, "labels": {"app": name}}, "spec": spec}
        core.create_namespaced_pod("default", body, field_manager="tester")
    listed = core.list_namespaced_pod("default", label_selector="app in (a)", limit=1)
    seen = [f"listed {pod.metadata.name} {pod.status.phase}" for pod in listed.items]
    patched = core.patch_namespaced_pod("a", "default", {"metadata": {"labels": {"more": "1"}}})
    seen.append(f"patched {patched.metadata.labels['more']}")
    core.patch_namespaced_pod_status("a", "default", {"status": {"message": "hello"}})
    core.delete_namespaced_pod("b", "default", grace_period_seconds=0)
    watch = official.watch.Watch()
    version = listed.metadata.resource_version
    stream = watch.stream(core.list_namespaced_pod, "default", resource_version=version, timeout_seconds=1)
    seen += [f"{event['type']} {event['object'].metadata.name}" for event in stream]
    try:
        core.read_namespaced_pod("b", "default")
    except official.client.ApiException as error:
        seen.append(json.loads(error.body)["message"])
    apps = official.client.AppsV1Api(api_client)
    template = {"metadata": {"labels": {"x": "y"}}, "spec": spec}
    deployment = {"selector": {"matchLabels": {"x": "y"}}, "template": template}
    apps.create_namespaced_deployment("default", {"metadata": {"name": "d"}, "spec": deployment})
    apps.patch_namespaced_deployment_scale("d", "default", {"spec": {"replicas": 3}})
    seen.append(f"scaled {apps.read_namespaced_deployment('d', 'default').spec.replicas}")
    api_client.close()
    return seen


async def test_the_official_client(secure: Any) -> None:
    assert await asyncio.to_thread(use_the_official_client, secure.kubeconfig) == [
        "listed a Pending",
        "patched 1",
        "MODIFIED a",
        "MODIFIED a",
        "MODIFIED b",
        "DELETED b",
        'pods "b" not found',
        "scaled 3",
    ]


def use_lightkube(kubeconfig: Path) -> list[str]:
    config = lightkube.KubeConfig.from_file(kubeconfig)
    client = lightkube.Client(config=config, namespace="default", field_manager="light")
    seen = []
    spec = PodSpec(containers=[Container(name="c", image="i")])
    for number in range(3):
        client.create(Pod(metadata=ObjectMeta(name=f"p{number}", labels={"n": str(number)}), spec=spec))
    client.create(Node(metadata=ObjectMeta(name="n")))
    seen.append(" ".join(str(pod.metadata.name) for pod in client.list(Pod, chunk_size=2) if pod.metadata))
    patch = {"metadata": {"annotations": {"k": "v"}}}
    patched = client.patch(Pod, "p0", patch, patch_type=PatchType.MERGE)
    seen.append(str(patched.metadata and patched.metadata.annotations))
    operations = [{"op": "add", "path": "/metadata/labels/more", "value": "1"}]
    client.patch(Pod, "p1", operations, patch_type=PatchType.JSON)
    client.create(ConfigMap(metadata=ObjectMeta(name="m"), data={"a": "b"}))
    replaced = client.get(ConfigMap, "m")
    replaced.data = {"a": "c"}
    seen.append(str(client.replace(replaced).data))
    for event, pod in client.watch(Pod, labels={"more": "1"}, server_timeout=1):
        seen.append(f"{event} {pod.metadata and pod.metadata.name}")
        break
    client.delete(Pod, "p2")
    try:
        client.get(Pod, "p2")
    except ApiError as error:
        seen.append(str(error.status.message))
    return seen


async def test_lightkube(secure: Any) -> None:
    assert await asyncio.to_thread(use_lightkube, secure.kubeconfig) == [
        "p0 p1 p2",
        "{'k': 'v'}",
        "{'a': 'c'}",
        "ADDED p1",
        'pods "p2" not found',
    ]


async def kubectl(binary: Path, secure: Any, cache: Path, line: str) -> str:
    """What a command says, on either stream."""
    options = ["--kubeconfig", str(secure.kubeconfig), "--cache-dir", str(cache)]
    process = await asyncio.create_subprocess_exec(
        binary, *options, *line.split(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    output, _ = await asyncio.wait_for(process.communicate(), 30)
    return output.decode().strip()


@pytest.mark.skipif(not KUBECTLS, reason="no kubectl on this machine")
@pytest.mark.parametrize("binary", KUBECTLS, ids=lambda binary: binary.name)
async def test_kubectl(secure: Any, tmp_path: Path, binary: Path) -> None:
    async def run(line: str) -> str:
        return await kubectl(binary, secure, tmp_path, line)

    assert await run("create configmap a --from-literal=x=y") == "configmap/a created"
    assert await run("get configmap a -o jsonpath={.data.x}") == "y"
    assert await run("run p --image=i --labels=a=b") == "pod/p created"
    assert "0/1     Pending   0 " in await run("get pods -l a=b")
    assert await run("label pod p c=d") == "pod/p labeled"
    assert await run("delete pod p --wait=false") == 'pod "p" deleted'
    assert "deployments" in await run("api-resources --api-group=apps")
    assert await run("auth can-i delete pods") == "yes"
    assert await run("get pod q") == 'Error from server (NotFound): pods "q" not found'
    assert await run("top nodes") == "error: Metrics API not available"
