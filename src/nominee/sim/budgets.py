"""The disruption controller: keeps the status of disruption budgets up to date."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from nominee.model.meta import NamedObject
from nominee.model.pod import Pod
from nominee.model.policy import PodDisruptionBudget, PodDisruptionBudgetStatus
from nominee.model.selectors import Selector, label_selector
from nominee.sim.world import FINISHED, World


class Book:
    """What one budget counts: the pods it is about, and those of them that are well."""

    def __init__(self, budget: PodDisruptionBudget) -> None:
        self.spec = budget.spec
        self.selector: Selector = label_selector(budget.spec.selector)
        self.expected = 0
        self.healthy = 0

    def count(self, pod: Pod, sign: int) -> None:
        if self.selector.matches(pod.labels):
            self.expected += sign * (pod.status.phase not in FINISHED)
            self.healthy += sign * _is_healthy(pod)

    @property
    def desired(self) -> int:
        """How many must stay well; percentages are rounded up.

        Reproduces getExpectedPodCount (pkg/controller/disruption/disruption.go, v1.37), except that the
        pods there are stand for the replicas their controllers want.
        """
        if self.spec.max_unavailable is not None:
            return max(0, self.expected - _amount(self.spec.max_unavailable, self.expected))
        return _amount(self.spec.min_available or 0, self.expected)


class DisruptionController:
    """Counts pods as they change and writes what budgets still allow."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._books: dict[str, dict[str, Book]] = {}
        world.listeners.append(self._changed)

    def _changed(self, old: NamedObject | None, new: NamedObject | None) -> None:
        item = new if new is not None else old
        if isinstance(item, Pod):
            if self._books:
                self._count(self._books.get(item.namespace, {}), old, new)
        elif isinstance(item, PodDisruptionBudget):
            self._reread(item, gone=new is None)

    def _count(self, books: Mapping[str, Book], old: NamedObject | None, new: NamedObject | None) -> None:
        for key, book in books.items():
            if isinstance(old, Pod):
                book.count(old, -1)
            if isinstance(new, Pod):
                book.count(new, 1)
            self._write(key, book)

    def _reread(self, budget: PodDisruptionBudget, *, gone: bool) -> None:
        books = self._books.setdefault(budget.namespace, {})
        known = books.get(budget.key)
        if gone:
            books.pop(budget.key, None)
        elif known is None or known.spec != budget.spec:
            book = books[budget.key] = Book(budget)
            for pod in self._world.pods.values():
                if pod.namespace == budget.namespace:
                    book.count(pod, 1)
            self._write(budget.key, book)

    def _write(self, key: str, book: Book) -> None:
        budget = self._world.get(PodDisruptionBudget, key)
        if budget is None:
            return
        desired = book.desired
        status = PodDisruptionBudgetStatus(
            disrupted_pods=budget.status.disrupted_pods,
            disruptions_allowed=max(0, book.healthy - desired),
            current_healthy=book.healthy,
            desired_healthy=desired,
            expected_pods=book.expected,
        )
        if status != replace(budget.status, conditions=(), observed_generation=0):
            self._world.update(replace(budget, status=status))


def _is_healthy(pod: Pod) -> bool:
    return bool(pod.status.start_time) and not pod.terminating and pod.status.phase not in FINISHED


def _amount(value: int | str, of: int) -> int:
    if isinstance(value, int):
        return value
    return -(-of * int(value.rstrip("%")) // 100) if value.endswith("%") else int(value)
