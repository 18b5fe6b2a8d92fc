import pytest

from nominee.queue.node_events import node_events
from nominee.testing import NodeBuilder, make_node

NODE = make_node("n")


def _labels(old: NodeBuilder, new: NodeBuilder) -> list[str]:
    return [str(event).removeprefix("NodeUpdateNode") for event in node_events(old.obj, new.obj)]


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        (NODE.unschedulable(), NODE, "Taint"),
        (NODE, NODE.allocatable(cpu="5"), "Allocatable"),
        (NODE, NODE.label("zone", "a"), "Label"),
        (NODE, NODE.taint("k"), "Taint"),
        (NODE, NODE.condition("Ready"), "Condition"),
        (NODE.condition("Ready"), NODE.condition("Ready", "False"), "Condition"),
        (NODE, NODE.annotation("k", "v"), "Annotation"),
        (NODE, NODE.declared_feature("f"), "DeclaredFeature"),
    ],
)
def test_a_kind_of_change_is_told(old: NodeBuilder, new: NodeBuilder, label: str) -> None:
    assert _labels(old, new) == [label]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (NODE, NODE),
        (NODE, NODE.unschedulable()),  # cordoning helps nobody
        (NODE.condition("Ready", reason="A"), NODE.condition("Ready", reason="B")),
        (NODE, NODE.image("i", 1)),
        (NODE.allocatable(cpu="4"), NODE.allocatable(cpu="4000m")),
        (NODE, NODE.spec(provider_id="p")),
    ],
)
def test_nothing_else_is_an_event(old: NodeBuilder, new: NodeBuilder) -> None:
    assert _labels(old, new) == []


def test_changes_come_in_a_fixed_order_and_taints_perhaps_twice() -> None:
    old = NODE.unschedulable().taint("k")
    new = NODE.allocatable(cpu="5").label("l").condition("Ready").annotation("a").declared_feature("f")
    assert _labels(old, new) == [
        "Taint",
        "Allocatable",
        "Label",
        "Taint",
        "Condition",
        "Annotation",
        "DeclaredFeature",
    ]
