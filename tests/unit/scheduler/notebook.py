"""A recorder that remembers everything, with a stopwatch that ticks a millisecond at every look."""

from __future__ import annotations

from collections import Counter, defaultdict

from nominee.errors import PluginError
from nominee.framework import Pod
from nominee.scheduler.ports import Labels


class Notebook:
    def __init__(self) -> None:
        self.counts: Counter[tuple[str, Labels]] = Counter()
        self.samples: defaultdict[tuple[str, Labels], list[float]] = defaultdict(list)
        self.failures: list[PluginError] = []
        self.warnings: list[str] = []
        self._looks = 0

    def count(self, metric: str, labels: Labels = (), by: float = 1) -> None:
        self.counts[metric, labels] += by  # type: ignore[assignment]

    def observe(self, metric: str, value: float, labels: Labels = ()) -> None:
        self.samples[metric, labels].append(value)

    def stopwatch(self) -> float:
        self._looks += 1
        return self._looks / 1000

    def plugin_failed(self, pod: Pod, error: PluginError) -> None:
        del pod
        self.failures.append(error)

    def warn(self, pod: Pod, message: str) -> None:
        self.warnings.append(f"{pod.name}: {message}")

    def counted(self, metric: str, **labels: str) -> float:
        return self.counts[metric, tuple(labels.items())]

    def observed(self, metric: str, **labels: str) -> list[float]:
        return self.samples[metric, tuple(labels.items())]
