"""What a scheduler does when it may not do something: with rights of the test's choice."""

from __future__ import annotations

import copy
from pathlib import Path

import yaml

from tests.e2e.harness.api import Missing, Object
from tests.e2e.harness.audit import AuditLog
from tests.e2e.harness.control_plane import LIMITED
from tests.e2e.harness.devices import EXTENDED, device_claim, device_class, devices, user
from tests.e2e.harness.objects import claim, claim_volume, make, node, pod, waiting_class
from tests.e2e.harness.provisioner import asked, conclude, offer, provision
from tests.e2e.harness.schedulers import Starter
from tests.e2e.harness.world import World, nominated_of


async def allow(world: World, rules: list[Object]) -> None:
    """Let the limited user do this and nothing else."""
    role = make("ClusterRole", "e2e-limited", rules=rules)
    user = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": LIMITED}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "e2e-limited"}
    binding = make("ClusterRoleBinding", "e2e-limited", subjects=[user], roleRef=reference)
    for item in (role, binding):
        try:
            await world.api.get(item["kind"], "e2e-limited")
        except Missing:
            await world.add(item)
        else:
            await world.api.update(item)


async def rules_of_kube_scheduler(world: World) -> list[Object]:
    """What the built-in roles allow kube-scheduler, which is all that a scheduler needs."""
    roles = [
        await world.api.get("ClusterRole", name)
        for name in ("system:kube-scheduler", "system:volume-scheduler")
    ]
    return [rule for role in roles for rule in copy.deepcopy(role["rules"])]


def without(rules: list[Object], verb: str, resource: str) -> list[Object]:
    """The rules, less one verb on one resource."""
    for rule in rules:
        if resource in rule.get("resources", []) and verb in rule["verbs"]:
            rule["verbs"].remove(verb)
    return [rule for rule in rules if rule["verbs"]]


async def test_no_right_to_delete_pods_costs_the_nomination(world: World, start: Starter) -> None:
    """Preemption that fails is taken back, and the log says what is missing."""
    await allow(world, without(await rules_of_kube_scheduler(world), "delete", "pods"))
    scheduler = start("nominee", user=LIMITED)
    await world.add(make("PriorityClass", f"{world.namespace}-high", value=1000))
    await world.add(node("a", cpu="1"), pod("standing", cpu="1", on="a"))
    await world.running("standing")
    await world.add(pod("urgent", cpu="1", priority=f"{world.namespace}-high"))

    async def log_says_why() -> bool:
        return "cannot delete resource" in scheduler.log()

    await world.until(log_says_why, "the log says that pods cannot be deleted")

    async def reverted() -> bool:
        return not nominated_of(await world.pod("urgent"))

    await world.until(reverted, "the nomination is reverted")
    assert not (await world.pod("standing"))["metadata"].get("deletionTimestamp")
    assert scheduler.alive


async def test_the_built_in_rights_suffice(world: World, start: Starter) -> None:
    """Nothing that a usual pod needs is refused to whoever has kube-scheduler's rights."""
    scheduler = start("nominee")
    await world.add(node("a"), pod("web"))
    await world.placed("web", on="a")
    await world.event("web", "Scheduled")
    assert "forbidden" not in scheduler.log().lower()


async def test_the_rights_of_the_manifests_suffice(world: World, start: Starter, audit: AuditLog) -> None:
    """A lease, pods, volumes that are made and that are there, devices, preemption: with exactly these."""
    await allow(world, rules_of_the_manifests())
    await world.add(make("PriorityClass", f"{world.namespace}-high", value=1000))
    await world.add(node("a"), node("b", cpu="1", labels={"only": "b"}))
    await world.add(
        waiting_class("slow"), waiting_class("there"), claim("data", "slow"), claim("disk", "there")
    )
    volume = await offer(world, "there")
    await world.add(device_class(), devices("a", "gpu-0", "gpu-1"), device_claim("one"))
    await world.add(pod("standing", cpu="1", on="b"))
    await world.running("standing")
    election = {"leaderElect": True, "resourceName": "nominee", "resourceNamespace": world.namespace}
    scheduler = start("nominee", user=LIMITED, config={"leaderElection": election})
    await world.add(pod("web"), pod("large", cpu="64"))
    await world.add(pod("db", volumes=[claim_volume("data")]), pod("disk", volumes=[claim_volume("disk")]))
    await world.add(user("train", "one"), pod("extended", extended={EXTENDED: 1}))
    urgent = pod("urgent", cpu="1", priority=f"{world.namespace}-high", nodeSelector={"only": "b"})
    await world.add(urgent)
    await asked(world, "data")
    await provision(world, "data")
    await conclude(world, "disk", volume)
    for name in ("web", "db", "disk", "train", "extended", "urgent"):
        await world.placed(name)
    await world.event("web", "Scheduled")
    await world.event("standing", "Preempted")
    await world.unschedulable("large")
    assert scheduler.terminate() == 0
    assert "forbidden" not in scheduler.log().lower()
    assert not [call for call in audit.calls() if call.code == 403]


def rules_of_the_manifests() -> list[Object]:
    """What deploy/ grants, in one role: that of the cluster, and that by which leaders are elected."""
    base = Path("deploy/kustomize/base")
    files = [base / "cluster-role.yaml", base / "role.yaml"]
    roles = [next(yaml.safe_load_all(file.read_text(encoding="utf-8"))) for file in files]
    return [rule for role in roles for rule in role["rules"]]


async def test_forbidden_reads_end_it_with_a_line(world: World, start: Starter) -> None:
    await allow(world, without(await rules_of_kube_scheduler(world), "list", "nodes"))
    scheduler = start("nominee", user=LIMITED)

    async def ended() -> bool:
        return not scheduler.alive

    await world.until(ended, "nominee ends", within=60)
    assert scheduler.exit_code in {1, 2}
    last = scheduler.log_tail(1)
    assert "nodes" in last
    assert "forbidden" in last.lower()
