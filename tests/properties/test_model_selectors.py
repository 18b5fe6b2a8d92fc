"""Compiled selectors agree with the rules written out naively."""

from hypothesis import given
from hypothesis import strategies as st

from nominee.model.meta import (
    LabelSelector,
    LabelSelectorRequirement,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
)
from nominee.model.selector_syntax import parse_label_selector
from nominee.model.selectors import NODE_NAME_FIELD, Requirement, Selector, label_selector, node_selector

keys = st.sampled_from(["a", "b", "c"])
texts = st.sampled_from(["", "x", "y", "1", "2", "10"])
labels = st.dictionaries(keys, texts)
names = st.sampled_from(["n1", "n2", "n3"])
Expression = tuple[str, str, tuple[str, ...]]


def _some(values: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(values, min_size=1, max_size=3).map(tuple)


set_expressions = st.one_of(
    st.tuples(keys, st.sampled_from(["In", "NotIn"]), _some(texts)),
    st.tuples(keys, st.sampled_from(["Exists", "DoesNotExist"]), st.just(())),
)
comparisons = st.tuples(keys, st.sampled_from(["Gt", "Lt"]), st.sampled_from([("1",), ("5",)]))
expressions = st.one_of(set_expressions, comparisons)
name_expressions = st.tuples(st.just(NODE_NAME_FIELD), st.sampled_from(["In", "NotIn"]), st.tuples(names))


def _holds(expression: Expression, having: dict[str, str]) -> bool:
    key, operator, values = expression
    if operator == "Exists":
        return key in having
    if operator == "DoesNotExist":
        return key not in having
    if operator == "NotIn":
        return key not in having or having[key] not in values
    if key not in having:
        return False
    if operator == "In":
        return having[key] in values
    if not having[key].isdigit():
        return False
    difference = int(having[key]) - int(values[0])
    return difference > 0 if operator == "Gt" else difference < 0


@given(labels, st.lists(set_expressions, max_size=4), labels)
def test_label_selectors(required: dict[str, str], items: list[Expression], having: dict[str, str]) -> None:
    selector = LabelSelector(
        match_labels=required,
        match_expressions=tuple(LabelSelectorRequirement(key=k, operator=o, values=v) for k, o, v in items),
    )
    naive = required.items() <= having.items() and all(_holds(item, having) for item in items)
    assert label_selector(selector).matches(having) == naive


@given(
    st.lists(
        st.tuples(st.lists(expressions, max_size=3), st.lists(name_expressions, max_size=2)), max_size=3
    ),
    labels,
    names,
)
def test_node_selectors(
    terms: list[tuple[list[Expression], list[Expression]]], having: dict[str, str], name: str
) -> None:
    def requirements(items: list[Expression]) -> tuple[NodeSelectorRequirement, ...]:
        return tuple(NodeSelectorRequirement(key=k, operator=o, values=v) for k, o, v in items)

    selector = NodeSelector(
        node_selector_terms=tuple(
            NodeSelectorTerm(match_expressions=requirements(on_labels), match_fields=requirements(on_names))
            for on_labels, on_names in terms
        )
    )
    naive = any(
        (on_labels or on_names)
        and all(_holds(item, having) for item in on_labels)
        and all(_holds(item, {NODE_NAME_FIELD: name}) for item in on_names)
        for on_labels, on_names in terms
    )
    assert node_selector(selector).matches(having, name) == naive


def _in_query_syntax(item: Requirement) -> str:
    if item.operator in ("Gt", "Lt"):
        return f"{item.key}{'>' if item.operator == 'Gt' else '<'}{item.values[0]}"
    if item.operator in ("Exists", "DoesNotExist"):
        return f"{'!' if item.operator == 'DoesNotExist' else ''}{item.key}"
    if len(item.values) == 1:
        return f"{item.key}{'=' if item.operator == 'In' else '!='}{item.values[0]}"
    return f"{item.key} {item.operator.lower()} ({','.join(item.values)})"


@given(st.lists(expressions, min_size=1, max_size=4))
def test_query_syntax_says_the_same_as_expressions(items: list[Expression]) -> None:
    written = [Requirement(key, operator, tuple(sorted(set(values)))) for key, operator, values in items]
    text = ",".join(map(_in_query_syntax, written))
    assert parse_label_selector(text) == Selector(tuple(sorted(set(written))))
