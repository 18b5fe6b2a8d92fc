"""What plugins answer: expected outcomes are values, never exceptions."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nominee.errors import shown
from nominee.state.arrays import Mask
from nominee.state.shapes import Pod


def _check(given: Any, what: str, kind: type, *members: type) -> None:
    """What is read long after the plugin has answered must be right when it is made."""
    if not isinstance(given, kind) or not all(isinstance(member, members) for member in _members(given)):
        of = f" of {' or '.join(member.__name__ for member in members)}" if members else ""
        msg = f"{what} must be a {kind.__name__}{of}, not {shown(given)}"
        raise TypeError(msg)


def _members(given: Any) -> Iterable[Any]:
    return given if isinstance(given, tuple | frozenset) else ()


@dataclass(frozen=True, slots=True)
class Rejection:
    """Nodes that a filter rejects for one reason: the columnar status.

    A filter yields one per reason; a node may be in several. `unresolvable`, for all its rows or row
    by row, says that evicting pods from the node would not help (UnschedulableAndUnresolvable).
    """

    rows: Mask
    reason: str
    unresolvable: bool | Mask | np.bool_ = False


@dataclass(frozen=True, slots=True)
class Unresolvable:
    """What `filter_node` answers instead of a plain reason when evicting pods would not help."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reject:
    """The pod does not fit, whatever the node (or, from Reserve and Permit: not on this one).

    `unresolvable` False leaves preemption a chance; `pending` means that the plugin itself will
    wake the pod and back-off is skipped.
    """

    reasons: tuple[str, ...]
    unresolvable: bool = False
    pending: bool = False

    def __post_init__(self) -> None:
        _check(self.reasons, "the reasons of a Reject", tuple, str)
        for flag in (self.unresolvable, self.pending):
            if not isinstance(flag, bool):
                raise TypeError(f"what a Reject is must be True or False, not {shown(flag)}")

    @property
    def message(self) -> str:
        """All reasons in one text."""
        return ", ".join(self.reasons)


@dataclass(frozen=True, slots=True)
class Narrow:
    """From PreFilter: only nodes with these names come into question; they need not exist."""

    names: frozenset[str]

    def __post_init__(self) -> None:
        _check(self.names, "the names of a Narrow", frozenset, str)


class Skip(enum.Enum):
    """From PreFilter or PreScore: this plugin has nothing to say about the pod."""

    THIS_CYCLE = "this cycle"
    """as the cluster is now; ask again next time"""
    THIS_SHAPE = "this shape"
    """for every pod of the same shape, until an object of a kind changes that the plugin watches

    From PreFilter it holds for the whole way: the plugin's Reserve and PreBind are left out too.
    """


@dataclass(frozen=True, slots=True)
class SkipWhile:
    """Like Skip.THIS_SHAPE, for as long as `unchanged()` gives the same value as now.

    For plugins that look across nodes: a version of what they depend on is cheaper to compare than
    the question is to ask.
    """

    unchanged: Callable[[], Hashable]


@dataclass(frozen=True, slots=True)
class Errand:
    """Something to be done at the API server, beside the scheduling loop: `work(api)`, with an `Api`.

    It takes its turn among the writes to its pod: a later attempt binds nothing before it is over.
    When it fails, that is noted, and nothing else comes of it.
    """

    work: Callable[[Any], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Nomination:
    """From PostFilter: the node the pod shall expect.

    node_name       "" takes the pod's nomination back, None leaves it as it is
    message         is appended to the text of the failure
    reject          nothing was achieved: the next PostFilter plugin is asked
    victims         pods that the scheduler is to evict from the node, the most important first
    pdb_violations  how many of these break a disruption budget by going
    errand          what else is to be done for the pod
    """

    node_name: str | None
    message: str = ""
    reject: bool = False
    victims: tuple[Pod, ...] = ()
    pdb_violations: int = 0
    errand: Errand | None = None

    def __post_init__(self) -> None:
        if self.node_name is not None:
            _check(self.node_name, "the node_name of a Nomination", str)
        _check(self.victims, "the victims of a Nomination", tuple, Pod)


VictimsByNode = Mapping[str, tuple[tuple[Pod, ...], int]]
"""By node name: the victims, the most important first, and how many of them break a disruption budget."""


@dataclass(frozen=True, slots=True)
class Consult:
    """From PostFilter: extenders have a say in these candidates; ask again with their answer in the cycle."""

    candidates: VictimsByNode


class Allow(enum.Enum):
    """From Permit: go on."""

    ALLOW = "allow"


@dataclass(frozen=True, slots=True)
class Wait:
    """From Permit: bind only once somebody allows it; reject after so many seconds."""

    seconds: float


class PreFlight(enum.Enum):
    """From PreBindPreFlight: whether the plugin's PreBind has anything to do."""

    WORK = "work"
    SKIP = "skip"
