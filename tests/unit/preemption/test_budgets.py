"""Whose eviction breaks a disruption budget."""

from nominee.model.meta import LabelSelector, LabelSelectorRequirement
from nominee.model.policy import PodDisruptionBudget, PodDisruptionBudgetSpec
from nominee.model.selectors import label_selector
from nominee.preemption.budgets import Budgets
from nominee.preemption.victims import potential_victims
from nominee.testing import make_cluster, make_node, make_pdb, pod_of
from tests.unit.preemption.fake_filters import small

WEB = {"app": "web"}


def violating(*budgets: PodDisruptionBudget, nodes: str = "aaa", **labels: str) -> list[str]:
    """Who of p0, p1, … (one on each of these nodes, the first the most important) breaks one."""
    pods = [small(f"p{i}", node, priority=-i).labels(labels or WEB) for i, node in enumerate(nodes)]
    cluster = make_cluster([make_node(name).capacity(cpu="9") for name in sorted(set(nodes))], pods)
    victims = potential_victims(cluster, cluster.all_nodes().rows, 100)
    broken = Budgets(budgets).violating(victims, cluster)
    return [cluster.pods[row].name for row in victims.pod_rows[broken]]


def test_without_budgets_nobody_breaks_one() -> None:
    assert violating() == []


def test_the_most_important_pods_use_up_what_the_budget_allows() -> None:
    assert violating(make_pdb("b", WEB, allowed=2)) == ["p2"]


def test_every_node_starts_with_what_the_budget_allows_now() -> None:
    assert violating(make_pdb("b", WEB, allowed=1), nodes="abab") == ["p2", "p3"]


def test_a_budget_protects_pods_of_its_namespace_only() -> None:
    assert violating(make_pdb("b", WEB, "other")) == []


def test_a_budget_protects_pods_that_it_selects_only() -> None:
    assert violating(make_pdb("b", {"app": "db"})) == []


def test_an_empty_selector_protects_nothing() -> None:
    assert violating(make_pdb("b", {})) == []


def test_no_selector_protects_nothing() -> None:
    assert violating(PodDisruptionBudget(metadata=make_pdb("b").metadata)) == []


def test_a_malformed_selector_protects_nothing() -> None:
    malformed = LabelSelector(match_expressions=(LabelSelectorRequirement(key="app", operator="Near"),))
    budget = PodDisruptionBudget(
        metadata=make_pdb("b").metadata, spec=PodDisruptionBudgetSpec(selector=malformed)
    )

    assert violating(budget) == []


def test_a_pod_whose_disruption_is_accounted_for_uses_up_nothing() -> None:
    assert violating(make_pdb("b", WEB, allowed=1, disrupted={"p0": "2026-01-01T00:00:00Z"})) == ["p2"]


def test_a_pod_breaks_a_budget_once_it_is_overdrawn_already() -> None:
    assert violating(make_pdb("b", WEB, allowed=-1)) == ["p0", "p1", "p2"]


def test_counting_stops_at_the_first_budget_that_is_broken() -> None:
    """Were p0 counted against the second budget too, p1 would break that one."""
    cluster = make_cluster(
        [make_node("a").capacity(cpu="9")],
        [small("p0", "a", priority=1).labels(WEB).label("tier", "x"), small("p1", "a").label("tier", "x")],
    )
    budgets = Budgets([make_pdb("first", WEB), make_pdb("second", {"tier": "x"}, allowed=1)])

    broken = budgets.violating(potential_victims(cluster, cluster.all_nodes().rows, 100), cluster)

    assert broken.tolist() == [True, False]


def test_budgets_are_found_by_whatever_they_select() -> None:
    budgets = [
        make_pdb("equal", WEB),
        make_pdb("other", {"app": "db"}),
        PodDisruptionBudget(
            metadata=make_pdb("absent").metadata,
            spec=PodDisruptionBudgetSpec(
                selector=LabelSelector(
                    match_expressions=(LabelSelectorRequirement(key="gone", operator="DoesNotExist"),)
                )
            ),
        ),
    ]
    cluster = make_cluster(pods=[])
    shape = pod_of(cluster, small("p", "a").labels(WEB)).shape

    found = Budgets(budgets).covering(shape)

    assert [budget.selector for budget in found] == [
        label_selector(budgets[0].spec.selector),
        label_selector(budgets[2].spec.selector),
    ]
