"""What binding plugins get as `api`: the framework's Api over the world of a simulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from nominee.errors import Invalid, NotFound
from nominee.framework import Pod
from nominee.model.codec import decode_object, encode_object
from nominee.model.kinds import KINDS
from nominee.model.meta import Condition, NamedObject
from nominee.model.pod import Pod as PodObject
from nominee.scheduler.effects import RecordEvent
from nominee.sim.calls import Call, Calls
from nominee.sim.tasks import Pause, Resume
from nominee.sim.world import World


class SimApi:
    """Every method takes the latency of its kind of call, and fails as calls of that kind are told to."""

    def __init__(
        self, world: World, calls: Calls, sent: set[Call], record: Callable[[RecordEvent], None]
    ) -> None:
        self._world = world
        self._calls = calls
        self._sent = sent
        self._record = record

    async def bind(self, pod: Pod, node_name: str) -> None:
        """Bind the pod, if it is the one that was meant and has no node yet."""
        await self._ask("bind", pod.key, lambda: self._world.bind(pod.key, pod.uid, node_name))

    def record(self, kind: str, reason: str, action: str, note: str, pod: Pod) -> None:
        """An event, with those of the scheduler."""
        self._record(RecordEvent(kind, reason, action, note, pod))

    async def sleep(self, seconds: float) -> None:
        """Wait, in virtual time."""
        agenda = self._world.agenda
        await Pause(lambda resume: agenda.after(seconds, resume, None, None))

    async def get(self, kind: str, key: str) -> dict[str, Any]:
        """An object as it is now."""
        return encode_object(self._found(kind, key))

    async def create(self, kind: str, item: dict[str, Any]) -> dict[str, Any]:
        meta = item.get("metadata", {})
        if not meta.get("name") and meta.get("generateName"):
            name = self._world.generated_name(meta["generateName"])
            item = {**item, "metadata": {**meta, "name": name}}
        return await self._written("create", decode_object(item), self._world.create)

    async def update(self, kind: str, item: dict[str, Any], *, subresource: str = "") -> dict[str, Any]:
        return await self._written("update", decode_object(item), self._world.update)

    async def patch_status(self, kind: str, key: str, patch: dict[str, Any]) -> dict[str, Any]:
        """A merge patch of the status; of a pod, its nomination and its conditions."""

        def act() -> NamedObject:
            return self._patched(kind, key, patch.get("status", patch))

        return encode_object(await self._ask("patch", key, act))

    async def delete(self, kind: str, key: str) -> None:
        def act() -> None:
            if kind == "Pod":
                self._world.delete_pod(key)
            else:
                self._world.delete(_struct(kind), key)

        await self._ask("delete", key, act)

    # -- how it is done -------------------------------------------------------------------------

    async def _written(
        self, call: str, item: NamedObject, write: Callable[[NamedObject], NamedObject]
    ) -> dict[str, Any]:
        return encode_object(await self._ask(call, item.key, lambda: write(item)))

    async def _ask(self, kind: str, key: str, act: Callable[[], Any]) -> Any:
        def begin(resume: Resume) -> None:
            def then(result: Any, error: Exception | None) -> None:
                self._sent.discard(call)
                resume(result, error)

            call = self._calls.begin(kind, key, act, then)
            self._sent.add(call)

        return await Pause(begin)

    def _found(self, kind: str, key: str) -> NamedObject:
        found = self._world.get(_struct(kind), key)
        if found is None:
            raise NotFound(404, f'{kind.lower()}s "{key.rpartition("/")[2]}" not found')
        return found

    def _patched(self, kind: str, key: str, status: dict[str, Any]) -> NamedObject:
        found = self._found(kind, key)
        if isinstance(found, PodObject) and set(status) <= {"nominatedNodeName", "conditions"}:
            for condition in status.get("conditions", ()):
                said = Condition(**{n: condition.get(n, "") for n in ("type", "status", "reason", "message")})
                found = self._world.patch_status(key, condition=said)
            if "nominatedNodeName" in status:
                found = self._world.patch_status(key, nominated_node_name=status["nominatedNodeName"] or "")
            return found
        data = encode_object(found)
        return self._world.update(decode_object(_merged(data, {"status": status})))


def _struct(kind: str) -> type[NamedObject]:
    if kind not in KINDS:
        raise Invalid(422, f"unknown kind {kind!r}")
    return KINDS[kind]


def _merged(data: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """A JSON merge patch: null removes."""
    merged = dict(data)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, dict) and isinstance(merged.get(name), dict):
            merged[name] = _merged(cast("dict[str, Any]", merged[name]), value)
        else:
            merged[name] = value
    return merged
