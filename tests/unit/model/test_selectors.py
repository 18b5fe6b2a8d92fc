"""Label and node selectors select what Kubernetes selects."""

import pytest

from nominee.errors import InputError
from nominee.model.meta import (
    LabelSelector,
    LabelSelectorRequirement,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
)
from nominee.model.selectors import (
    EVERYTHING,
    NOTHING,
    label_selector,
    map_selector,
    node_selector,
    node_term,
    requirement,
    topology_terms,
)
from nominee.model.storage import TopologySelectorLabelRequirement, TopologySelectorTerm


def _expression(key: str, operator: str, *values: str) -> LabelSelectorRequirement:
    return LabelSelectorRequirement(key=key, operator=operator, values=values)


def _node(key: str, operator: str, *values: str) -> NodeSelectorRequirement:
    return NodeSelectorRequirement(key=key, operator=operator, values=values)


@pytest.mark.parametrize(
    ("operator", "values", "matching", "others"),
    [
        ("In", ["a", "b"], ["a", "b"], ["c", "", None]),
        ("NotIn", ["a", "b"], ["c", "", None], ["a", "b"]),
        ("Exists", [], ["a", ""], [None]),
        ("DoesNotExist", [], [None], ["a", ""]),
        ("Gt", ["5"], ["6", "+7", "0010"], ["5", "4", "-6", "x", "", "6.5", "9223372036854775808", None]),
        ("Lt", ["5"], ["4", "-6"], ["5", "6", "x", "", " 4", "1_0", None]),
    ],
)
def test_a_requirement_judges_a_value(
    operator: str, values: list[str], matching: list[str | None], others: list[str | None]
) -> None:
    condition = requirement("key", operator, values)
    assert [value for value in (*matching, *others) if condition.matches(value)] == matching


@pytest.mark.parametrize(
    ("key", "operator", "values", "part"),
    [
        ("key", "In", [], "values"),
        ("key", "NotIn", [], "values"),
        ("key", "Exists", ["a"], "values"),
        ("key", "DoesNotExist", ["a"], "values"),
        ("key", "Gt", [], "values"),
        ("key", "Gt", ["1", "2"], "values"),
        ("key", "Lt", ["one"], "values"),
        ("key", "in", ["a"], "operator"),
        ("", "Exists", [], "key"),
        ("a/b/c", "Exists", [], "key"),
        ("key", "In", ["not a value"], "values"),
    ],
)
def test_a_malformed_requirement_is_refused_with_its_field(
    key: str, operator: str, values: list[str], part: str
) -> None:
    with pytest.raises(InputError) as error:
        requirement(key, operator, values, field="spec.x[0]")
    assert error.value.field == f"spec.x[0].{part}"


def test_no_selector_selects_nothing_and_an_empty_one_everything() -> None:
    assert not label_selector(None).matches({})
    assert label_selector(LabelSelector()).matches({"a": "b"})
    assert label_selector(LabelSelector()).empty
    assert not label_selector(None).empty


def test_labels_and_expressions_must_all_hold() -> None:
    selector = label_selector(
        LabelSelector(match_labels={"app": "web"}, match_expressions=(_expression("tier", "NotIn", "db"),))
    )
    assert selector.matches({"app": "web"})
    assert not selector.matches({"app": "web", "tier": "db"})
    assert not selector.matches({"tier": "front"})


def test_a_selector_is_what_it_selects() -> None:
    labels = label_selector(LabelSelector(match_labels={"a": "1", "b": "2"}))
    expressions = label_selector(
        LabelSelector(match_expressions=(_expression("b", "In", "2"), _expression("a", "In", "1", "1")))
    )
    assert labels == expressions == map_selector({"b": "2", "a": "1"})
    assert len({labels, expressions}) == 1


def test_conjunction() -> None:
    both = map_selector({"a": "1"}) & map_selector({"b": "2"})
    assert both == map_selector({"a": "1", "b": "2"})
    assert EVERYTHING & both == both
    assert NOTHING & both == NOTHING


def test_label_selectors_know_no_comparison() -> None:
    selector = LabelSelector(match_expressions=(_expression("a", "Gt", "1"),))
    with pytest.raises(InputError, match="expected one of In, NotIn, Exists, DoesNotExist"):
        label_selector(selector)


def test_one_term_of_a_node_selector_suffices() -> None:
    selector = node_selector(
        NodeSelector(
            node_selector_terms=(
                NodeSelectorTerm(match_expressions=(_node("zone", "In", "a"), _node("cpus", "Gt", "8"))),
                NodeSelectorTerm(match_fields=(_node("metadata.name", "In", "n7"),)),
            )
        )
    )
    assert selector.matches({"zone": "a", "cpus": "16"}, "n1")
    assert not selector.matches({"zone": "a", "cpus": "8"}, "n1")
    assert selector.matches({}, "n7")


def test_an_empty_term_and_an_empty_selector_match_no_node() -> None:
    assert node_term(NodeSelectorTerm()) is None
    assert not node_selector(NodeSelector(node_selector_terms=(NodeSelectorTerm(),))).matches({}, "n")
    assert not node_selector(NodeSelector()).matches({}, "n")


def test_labels_and_fields_of_a_term_must_both_hold() -> None:
    term = node_term(
        NodeSelectorTerm(
            match_expressions=(_node("zone", "Exists"),),
            match_fields=(_node("metadata.name", "NotIn", "n1"),),
        )
    )
    assert term is not None
    assert term.matches({"zone": ""}, "n2")
    assert not term.matches({"zone": ""}, "n1")
    assert not term.matches({}, "n2")


@pytest.mark.parametrize(
    ("bad", "part"),
    [
        (_node("metadata.name", "In", "a", "b"), "values"),
        (_node("metadata.name", "Exists"), "operator"),
        (_node("metadata.uid", "In", "a"), "key"),
    ],
)
def test_only_one_name_may_be_asked_for(bad: NodeSelectorRequirement, part: str) -> None:
    selector = NodeSelector(node_selector_terms=(NodeSelectorTerm(match_fields=(bad,)),))
    with pytest.raises(InputError) as error:
        node_selector(selector, field="required")
    assert error.value.field == f"required.nodeSelectorTerms[0].matchFields[0].{part}"


def test_malformed_terms_can_be_passed_over() -> None:
    bad = NodeSelectorTerm(match_expressions=(_node("zone", "Gt", "x"),))
    good = NodeSelectorTerm(match_expressions=(_node("zone", "Exists"),))
    selector = node_selector(NodeSelector(node_selector_terms=(bad, good)), strict=False)
    assert selector.matches({"zone": "a"}, "n")
    assert len(selector.terms) == 1


def test_allowed_topologies() -> None:
    zone = TopologySelectorLabelRequirement(key="zone", values=("a", "b"))
    terms = topology_terms([TopologySelectorTerm(match_label_expressions=(zone,))])
    assert terms.matches({"zone": "b"}, "n")
    assert not terms.matches({"zone": "c"}, "n")
    assert topology_terms([]).matches({}, "n")
    assert not topology_terms([TopologySelectorTerm()]).matches({}, "n")
