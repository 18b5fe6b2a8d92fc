"""Calls to the API server of a simulation: how long they take, which fail, which hang."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from random import Random
from typing import Any, Literal, get_args

from nominee.errors import ApiError, InternalError, NomineeError, TransportError, words_of
from nominee.sim.agenda import Agenda

CallKind = Literal["patch", "bind", "delete", "create", "update"]
KINDS: tuple[str, ...] = get_args(CallKind)

Then = Callable[[Any, Exception | None], None]


@dataclass(slots=True, eq=False)
class Call:
    """One request. `act` is what the server does; `then` hears of the result or the error."""

    kind: str
    key: str
    act: Callable[[], Any]
    then: Then | None


@dataclass(slots=True)
class Fault:
    """Calls that fail: the next `times` (None: all from now on), a `share` of them, of pods like `pod`.

    after  the server acts all the same, and only its answer is lost
    """

    kind: str
    times: int | None = 1
    share: float = 1.0
    pod: str = "*"
    error: Exception | None = None
    after: bool = False


@dataclass(slots=True, eq=False)
class Hold:
    """Calls that hang: on their way to the server, or (`answers`) on their way back."""

    kind: str
    pod: str = "*"
    answers: bool = False


class Calls:
    """Carries requests to the world and answers back, in virtual time."""

    def __init__(self, agenda: Agenda, random: Random) -> None:
        self.latency: dict[str, float] = dict.fromkeys(KINDS, 0.0)
        self.made: dict[str, int] = dict.fromkeys(KINDS, 0)
        self._agenda = agenda
        self._random = random
        self._faults: list[Fault] = []
        self._holds: list[Hold] = []
        self._held: list[tuple[Hold, Callable[..., None], tuple[Any, ...]]] = []

    def begin(self, kind: str, key: str, act: Callable[[], Any], then: Then) -> Call:
        """Send a request; `then` is called later, never from within."""
        call = Call(kind, key, act, then)
        self.made[kind] += 1
        if self._holds and (hold := self._hold_of(call, answers=False)):
            self._held.append((hold, self._send, (call,)))
        else:
            self._send(call)
        return call

    def fail(self, fault: Fault) -> None:
        """Let calls fail from now on; the latest word on a call counts."""
        _check(fault.kind)
        self._faults.append(fault)

    def heal(self, kind: str | None = None) -> None:
        """Let calls of a kind (None: all) succeed again."""
        self._faults = [fault for fault in self._faults if kind is not None and fault.kind != kind]

    def hold(self, hold: Hold) -> None:
        """Let calls hang from now on."""
        _check(hold.kind)
        self._holds.append(hold)

    def release(self, kind: str | None = None, pod: str | None = None) -> int:
        """Hold no longer, and let go what hangs; how many calls that were."""

        def meant(hold: Hold) -> bool:
            return (kind is None or hold.kind == kind) and (pod is None or hold.pod == pod)

        self._holds = [hold for hold in self._holds if not meant(hold)]
        free = [entry for entry in self._held if meant(entry[0])]
        self._held = [entry for entry in self._held if not meant(entry[0])]
        for _, action, arguments in free:
            self._agenda.after(0.0, action, *arguments)
        return len(free)

    @property
    def held(self) -> list[str]:
        """What hangs, as `kind namespace/name`."""
        return [f"{arguments[0].kind} {arguments[0].key}" for _, _, arguments in self._held]

    def drop(self, calls: set[Call]) -> None:
        """Forget calls that hang and have not left the scheduler, because it is no more."""
        self._held = [e for e in self._held if e[0].answers or e[2][0] not in calls]

    # -- one call -------------------------------------------------------------------------------

    def _send(self, call: Call) -> None:
        self._agenda.after(self.latency[call.kind], self._arrive, call)

    def _arrive(self, call: Call) -> None:
        fault = self._fault_of(call) if self._faults else None
        result: Any = None
        error: Exception | None = None
        if fault is None or fault.after:
            try:
                result = call.act()
            except NomineeError as refused:
                error = refused
        if fault is not None:
            error = fault.error or TransportError(_default_error(fault))
        if self._holds and (hold := self._hold_of(call, answers=True)):
            self._held.append((hold, self._answer, (call, result, error)))
        else:
            self._answer(call, result, error)

    @staticmethod
    def _answer(call: Call, result: Any, error: Exception | None) -> None:
        then, call.then = call.then, None  # no cycle stays behind for the garbage collector
        if then is not None:
            then(result, error)

    def _hold_of(self, call: Call, *, answers: bool) -> Hold | None:
        for hold in self._holds:
            if hold.kind == call.kind and hold.answers is answers and _matches(hold.pod, call.key):
                return hold
        return None

    def _fault_of(self, call: Call) -> Fault | None:
        for fault in reversed(self._faults):
            if fault.kind != call.kind or not _matches(fault.pod, call.key):
                continue
            if fault.share < 1.0 and self._random.random() >= fault.share:
                continue
            if fault.times is not None:
                fault.times -= 1
                if fault.times <= 0:
                    self._faults.remove(fault)
            return fault
        return None


def message_of(error: BaseException) -> str:
    """The server's own words where there are any."""
    return error.reason if isinstance(error, ApiError) else words_of(error)


def _matches(pattern: str, key: str) -> bool:
    return pattern == "*" or fnmatchcase(key if "/" in pattern else key.rpartition("/")[2], pattern)


def _default_error(fault: Fault) -> str:
    return "context deadline exceeded" if fault.after else "connection refused"


def _check(kind: str) -> None:
    if kind not in KINDS:
        raise InternalError(f"unknown kind of call {kind!r}: expected one of {', '.join(KINDS)}")
