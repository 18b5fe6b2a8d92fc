"""What can be said of a plugin without running it: its class, methods and promises."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from nominee.framework.points import METHODS_OF_POINT, points_of
from nominee.model.meta import NamedObject
from nominee.testing.checks.case import PluginCheckError

ARGUMENTS = {
    "pre_enqueue": 1,
    "pre_enqueue_in_cluster": 2,
    "sort_key": 1,
    "events_to_register": 0,
    "pre_filter": 3,
    "filter": 3,
    "filter_node": 3,
    "post_filter": 3,
    "pre_score": 3,
    "score": 3,
    "score_node": 3,
    "normalize": 3,
    "reserve": 3,
    "unreserve": 3,
    "permit": 3,
    "pre_bind_pre_flight": 3,
    "pre_bind": 4,
    "bind": 4,
    "post_bind": 4,
    "reads": 1,
}
"""How many arguments each method of the contract is called with."""

ASYNC = frozenset({"pre_bind", "bind", "post_bind"})
_PAIRS = (("reserve", "unreserve"), ("unreserve", "reserve"))
_NEEDS = {"normalize": "score", "pre_score": "score"}


def check_declaration(plugin: Any) -> None:
    """The class is a frozen dataclass with the contract's methods and consistent promises."""
    for text in (*_class(plugin), *_methods(plugin), *_promises(plugin)):
        raise PluginCheckError(f"{type(plugin).__name__}: {text}")


def _class(plugin: Any) -> list[str]:
    kind, wrong = type(plugin), []
    if not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        wrong.append("a plugin is a frozen dataclass: @dataclass(frozen=True)")
    elif not _hashable(plugin):
        wrong.append("a plugin is a key of memos, so its arguments must be hashable: tuples, not lists")
    if not points_of(kind):
        known = ", ".join(m for methods in METHODS_OF_POINT.values() for m in methods)
        wrong.append(f"it extends no extension point: it has none of the methods {known}")
    return wrong


def _hashable(plugin: Any) -> bool:
    try:
        hash(plugin)
    except TypeError:
        return False
    return True


def _methods(plugin: Any) -> list[str]:
    wrong = []
    for name in (n for n in dir(plugin) if not n.startswith("_") and callable(getattr(plugin, n))):
        if name in ARGUMENTS:
            wrong += _signature(name, getattr(plugin, name))
        elif (meant := _meant(name)) is not None:
            wrong.append(f"{name} is no method of the contract; is {meant} meant?")
    for one_at_a_time, all_at_once in (("filter_node", "filter"), ("score_node", "score")):
        if hasattr(plugin, one_at_a_time) and hasattr(plugin, all_at_once):
            wrong.append(f"{all_at_once} and {one_at_a_time} say the same twice: keep one")
    for name, other in _PAIRS:
        if hasattr(plugin, name) and not hasattr(plugin, other):
            wrong.append(f"{name} needs {other} beside it")
    for name, other in _NEEDS.items():
        if hasattr(plugin, name) and not (hasattr(plugin, other) or hasattr(plugin, f"{other}_node")):
            wrong.append(f"{name} without {other} or {other}_node is never called")
    return wrong


def _meant(name: str) -> str | None:
    """The method of the contract that a name differs from in spelling only."""
    bare = name.replace("_", "").lower().removesuffix("s").replace("normalise", "normalize")
    return next((known for known in ARGUMENTS if known.replace("_", "").removesuffix("s") == bare), None)


def _signature(name: str, method: Any) -> list[str]:
    count, wrong = ARGUMENTS[name], []
    try:
        inspect.signature(method).bind(*range(count))
    except TypeError:
        wrong.append(f"{name} is called with {count} arguments, but takes {inspect.signature(method)}")
    if inspect.iscoroutinefunction(method) != (name in ASYNC):
        wrong.append(f"{name} must {'' if name in ASYNC else 'not '}be async")
    return wrong


def _promises(plugin: Any) -> list[str]:
    wrong = []
    local, reads_pods = getattr(plugin, "node_local", False), getattr(plugin, "reads_pods", True)
    for name, value in (("node_local", local), ("reads_pods", reads_pods)):
        if not isinstance(value, bool):
            wrong.append(f"{name} must be True or False, not {value!r}")
    if not reads_pods and not local:
        wrong.append("reads_pods = False promises something only together with node_local = True")
    if hasattr(plugin, "reads") and reads_pods:
        wrong.append("reads promises something only together with reads_pods = False")
    watches = getattr(plugin, "watches", ())
    if not all(isinstance(kind, type) and issubclass(kind, NamedObject) for kind in watches):
        wrong.append(f"watches names classes of API objects, not {watches!r}")
    return wrong
