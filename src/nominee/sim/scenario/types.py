"""What may stand in a scenario file; the YAML names are these in camelCase, and nothing else is allowed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nominee.config.duration import Duration
from nominee.config.plugin_args import Int32
from nominee.model.base import RawQuantity

MOST_PODS = 10_000_000
LONGEST = 10_000_000_000
"""Some three hundred years, in seconds: timestamps end in the year 9999."""

_EXPECTED = "expected a duration like '90s' or a number of seconds"

Number = Annotated[int, Meta(ge=0)]
Count = Annotated[int, Meta(ge=0, le=MOST_PODS)]
Rate = Annotated[float, Meta(gt=0, le=1_000_000)]
Call = Literal["patch", "bind", "delete", "create", "update"]
Rhythm = Literal["even", "random"]
PreemptionPolicy = Literal["PreemptLowerPriority", "Never"]


def _text(pattern: str, described: str, most: int = 253) -> Meta:
    return Meta(pattern=rf"^(?:{pattern})\Z", max_length=most, description=described)


_PART = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_NAME = rf"(?:{_PART}\.)*{_PART}"

Name = Annotated[
    str,
    _text(rf"{_NAME}(?:-+|\.)?", "a name of lower-case letters, digits, '-' and '.', as in 'web' or 'web-'"),
]
"""The name of an object, or the beginning of the names of several."""

Place = Annotated[
    str, _text(f"(?:{_NAME})?", "the name of a node, of lower-case letters, digits, '-' and '.'")
]
"""The name of a node, or "" for none."""

Namespace = Annotated[str, _text(_PART, "the name of a namespace, of lower-case letters, digits and '-'", 63)]
Zone = Annotated[
    str,
    _text("[A-Za-z0-9](?:[-_.A-Za-z0-9]*[A-Za-z0-9])?", "a label's value, of letters, digits and '-'", 63),
]


def is_numbered(name: str) -> bool:
    """Whether a name is the beginning of several."""
    return name.endswith(("-", "."))


class Seconds(float):
    """A length of time: in YAML a number of seconds, or text like `90s`, `5m`, `1h30m`."""

    __slots__ = ()


def read_seconds(value: Any) -> Seconds:
    """Raises ValueError with what is wrong."""
    if isinstance(value, str):
        seconds = _parsed(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seconds = float(value)
    else:
        raise ValueError(  # noqa: TRY004 - what msgspec turns into an error with its place
            f"{_EXPECTED}, got {value!r}"
        )
    if seconds < 0:
        raise ValueError(f"a duration can not be negative, got {value!r}")
    if not seconds <= LONGEST:  # NaN is not, either
        raise ValueError(f"a duration is at most {LONGEST} seconds, got {value!r}")
    return Seconds(seconds)


def _parsed(text: str) -> float:
    try:
        return Duration.parse(text).seconds
    except ValueError as error:
        raise ValueError(f"{error}: {_EXPECTED}") from None


class Strict(msgspec.Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """Base of all parts of a scenario."""


class Span:
    """Drawn anew for each pod, all lengths between the two being equally likely.

    In YAML `{min: 1h, max: 3h}`, or one length for all.
    """

    __slots__ = ("least", "most")

    def __init__(self, least: float, most: float) -> None:
        self.least = least
        self.most = most


def read_span(value: Any) -> Span:
    """Raises ValueError with what is wrong."""
    if not isinstance(value, dict):
        return Span(read_seconds(value), read_seconds(value))
    if set(value) != {"min", "max"}:
        raise ValueError(f"expected a duration or min and max of it, got {value!r}")
    least, most = read_seconds(value["min"]), read_seconds(value["max"])
    if least > most:
        raise ValueError(f"min is more than max in {value!r}")
    return Span(least, most)


class Template(Strict):
    """What pods or nodes are made from: a full object (`object`), or the few fields that matter."""

    object: dict[str, Any] = {}
    requests: dict[str, RawQuantity] = {}
    capacity: dict[str, RawQuantity] = {}
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    priority: Int32 | None = None
    priority_class: str = ""
    grace: Number | None = None
    duration: Span | None = None
    spec: dict[str, Any] = {}


TemplateRef = str | Template
"""The name of a template, or one written in place."""


class CreateNodes(Strict):
    """Nodes named after a prefix and a number; `zones` are dealt out in turn."""

    template: TemplateRef
    count: Count = 1
    name: Name = "node-"
    zones: list[Zone] = []


class CreatePods(Strict):
    """Pods, all at once or `rate` a second; several templates are drawn from at random."""

    template: str | Template | Annotated[list[str], Meta(min_length=1)]
    count: Count = 1
    name: Name = "pod-"
    namespace: Namespace = "default"
    rate: Rate | None = None
    arrivals: Rhythm = "even"
    node: Place = ""
    nominated: Place = ""


class Churn(Strict):
    """Pods created at a rate, of which only the latest `keep` stay."""

    template: TemplateRef
    rate: Rate
    count: Count
    keep: Count
    name: Name = "churn-"
    namespace: Namespace = "default"


class Delete(Strict):
    """Pods or nodes by a pattern of names (`web-*`), the first `count` of them."""

    pods: str = ""
    nodes: str = ""
    count: Number | None = None
    grace: Number | None = None


class Barrier(Strict):
    """Wait until all pods (or so many) have a node and no more are to arrive."""

    pods: Number | Literal["all"] = "all"
    timeout: Seconds = Seconds(3600)


class RestartScheduler(Strict):
    """End the scheduler and start another, `down` seconds later."""

    down: Seconds = Seconds(0)
    feature_gates: dict[str, bool] = {}


class FailApi(Strict):
    """Calls that fail; see Simulation.fail. Without `times`, for ever."""

    call: Call
    times: Annotated[int, Meta(ge=1)] | None = None
    share: Annotated[float, Meta(ge=0, le=1)] = 1.0
    pods: str = "*"
    after: bool = False


class HoldApi(Strict):
    """Calls that hang; see Simulation.hold."""

    call: Call
    pods: str = "*"
    answers: bool = False


class Which(Strict):
    """Calls of a kind, or all."""

    call: Call | None = None
    pods: str | None = None


class Nominate(Strict):
    """Write a nomination, as another component would."""

    pod: str
    node: Place


class SetPriorityClass(Strict):
    """Create or change a PriorityClass."""

    name: Name
    value: Int32
    preemption_policy: PreemptionPolicy | None = None
    global_default: bool = False


class Expect(Strict):
    """What must hold now; if it does not, the run says so and ends with 1."""

    placed: Number | None = None
    pending: Number | None = None
    evictions: Number | None = None
    nodes: dict[str, str] = {}
    nominations: dict[str, str] = {}


class Latency(Strict):
    """How long things take; see Simulation.set_latency."""

    patch: Seconds | None = None
    bind: Seconds | None = None
    delete: Seconds | None = None
    create: Seconds | None = None
    update: Seconds | None = None
    watch: Seconds | None = None
    start: Seconds | None = None
    terminate: Seconds | None = None
    cycle: Seconds | None = None


class Operation(Strict):
    """One step; exactly one of its fields besides `at` says what. `at` counts from the beginning."""

    at: Seconds | None = None
    create_nodes: CreateNodes | None = None
    create_pods: CreatePods | None = None
    create_objects: list[dict[str, Any]] | None = None
    churn: Churn | None = None
    delete: Delete | None = None
    advance: Seconds | None = None
    barrier: Barrier | None = None
    restart_scheduler: RestartScheduler | None = None
    fail_api: FailApi | None = None
    heal_api: Which | None = None
    hold_api: HoldApi | None = None
    release_api: Which | None = None
    set_latency: Latency | None = None
    set_priority_class: SetPriorityClass | None = None
    nominate: Nominate | None = None
    expect: Expect | None = None


class Scenario(Strict):
    """A whole file, or several merged."""

    description: str = ""
    seed: int = 0
    until: Seconds | None = None
    expect_pending: Number | bool = False
    config: str | dict[str, Any] | None = None
    feature_gates: dict[str, bool] = {}
    latency: Latency = msgspec.field(default_factory=Latency)
    templates: dict[str, Template] = {}
    objects: list[dict[str, Any]] = []
    operations: list[Operation] = []
