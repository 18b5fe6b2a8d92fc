"""The pods that want a node, as the API server last showed them, and what we are writing to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from nominee.model.meta import Condition
from nominee.model.pod import PodStatus
from nominee.scheduler.inputs import Completed
from nominee.scheduler.outbox import Outbox
from nominee.scheduler.ports import Recorder
from nominee.state.shapes import Pod, rewrite


@dataclass(slots=True, eq=False)
class _Write:
    """Something we asked to be written; None leaves a part of the status alone."""

    nomination: str | None
    condition: Condition | None
    answered: bool = False


class _Known(msgspec.Struct, eq=False):
    """A pod, what the API server showed of it before we laid our writes over that, and in which version."""

    pod: Pod
    nomination: str
    status: PodStatus
    version: str


class PendingPods:
    """By uid, the latest form of every pod without a node that is ours to schedule.

    What we have asked the API server to write counts as written: the next decision must not wait for
    the watch to show it. Forms the watch shows late, from before our write, are corrected by it until
    one comes that knows of it; a nomination that somebody else changed meanwhile is followed.
    """

    def __init__(self, outbox: Outbox, recorder: Recorder) -> None:
        self._outbox = outbox
        self._recorder = recorder
        self._known: dict[str, _Known] = {}
        self._uid_of: dict[str, str] = {}
        self._writes: dict[str, list[_Write]] = {}
        self.ours: dict[str, str] = {}  # uid to the nomination that we wrote last

    def __contains__(self, uid: object) -> bool:
        return uid in self._known

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[Pod]:
        return (known.pod for known in self._known.values())

    def get(self, uid: str) -> Pod | None:
        known = self._known.get(uid)
        return known.pod if known is not None else None

    def uid_named(self, key: str) -> str | None:
        """The uid of the pod that has this `namespace/name` now."""
        return self._uid_of.get(key)

    def has_seen(self, uid: str, version: str) -> bool:
        """Whether this very version of the pod is the latest that was seen."""
        known = self._known.get(uid)
        return known is not None and known.version == version != ""

    def put(self, pod: Pod, version: str = "") -> None:
        known = self._known.get(pod.uid)
        shown, before = pod.nominated_node_name, known.nomination if known is not None else ""
        self._known[pod.uid] = known = _Known(pod, shown, pod.status, version)
        self._uid_of[pod.key] = pod.uid
        if pod.uid in self._writes:
            if shown != before:
                self._writes[pod.uid] = _not_shown(self._writes[pod.uid], shown)
            self._lay_over(known)

    def drop(self, uid: str) -> Pod | None:
        known = self._known.pop(uid, None)
        self.ours.pop(uid, None)
        self._writes.pop(uid, None)
        if known is None:
            return None
        if self._uid_of.get(known.pod.key) == uid:
            del self._uid_of[known.pod.key]
        return known.pod

    def is_foreign(self, pod: Pod) -> bool:
        """Whether somebody else has put the nomination there that the pod carries."""
        return bool(pod.nominated_node_name) and self.ours.get(pod.uid) != pod.nominated_node_name

    def patch_status(self, pod: Pod, nomination: str | None, condition: Condition | None) -> bool:
        """Write what differs from what the pod says; False when nothing does."""
        known = self._known.get(pod.uid)
        latest = known.pod if known is not None else pod
        if nomination == latest.nominated_node_name:
            nomination = None
        if condition is not None and not _differs(latest, condition):
            condition = None
        if nomination is None and condition is None:
            return False
        write = _Write(nomination, condition)
        if known is not None:
            self._writes.setdefault(pod.uid, []).append(write)
            _apply(latest, write)
            if nomination is not None:
                self.ours[pod.uid] = nomination

        def then(answer: Completed, _now: float) -> None:
            self._answered(pod, write, answer)

        self._outbox.patch_status(pod, nomination, condition, then)
        return True

    def _answered(self, pod: Pod, write: _Write, answer: Completed) -> None:
        """What failed was never written: the next attempt shall write it again."""
        write.answered = True
        writes = self._writes.get(pod.uid, [])
        failed = answer.error is not None
        if write in writes and (failed or write.nomination is None):
            writes.remove(write)
            if not writes:
                del self._writes[pod.uid]
            if failed:
                self._lay_over(self._known[pod.uid])
        if failed and not answer.missing:
            self._recorder.warn(pod, f"could not write the pod's status: {answer.error}")

    def _lay_over(self, known: _Known) -> None:
        rewrite(known.pod, nominated_node_name=known.nomination, status=known.status)
        for write in self._writes.get(known.pod.uid, ()):
            _apply(known.pod, write)


def _not_shown(writes: list[_Write], shown: str) -> list[_Write]:
    """The writes that the form with this nomination, a new one, does not know of yet.

    One that is none of ours was put there by somebody else: after what we know to be written, and
    before what we do not.
    """
    for i, write in enumerate(writes):
        if write.nomination == shown:
            return writes[i + 1 :]
    return [write for write in writes if not write.answered]


def _apply(pod: Pod, write: _Write) -> None:
    if write.nomination is not None:
        rewrite(pod, nominated_node_name=write.nomination)
    if (condition := write.condition) is not None:
        others = tuple(c for c in pod.status.conditions if c.type != condition.type)
        rewrite(pod, status=msgspec.structs.replace(pod.status, conditions=(*others, condition)))


def _differs(pod: Pod, condition: Condition) -> bool:
    for known in pod.status.conditions:
        if known.type == condition.type:
            said = known.status, known.reason, known.message
            return said != (condition.status, condition.reason, condition.message)
    return True
