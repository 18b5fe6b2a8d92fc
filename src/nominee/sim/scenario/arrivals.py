"""Pods that arrive as time goes by; only the next one of each stream waits in the agenda."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nominee.errors import ApiError, InputError
from nominee.model.pod import Pod
from nominee.sim.driver import Simulation
from nominee.sim.scenario.templates import PodMould
from nominee.sim.scenario.traces import Arrival
from nominee.sim.scenario.types import Span, Template


class Arrivals:
    """Streams of pods; `outstanding` says how many are still to come."""

    def __init__(self, sim: Simulation, trace: list[Arrival]) -> None:
        self._sim = sim
        self.outstanding = 0
        if trace:
            self._follow(sorted(trace, key=lambda arrival: arrival.time))

    def begin(self, create: Callable[[], None], count: int, rate: float, *, random: bool) -> None:
        """So many pods, `rate` a second: evenly, or with random gaps of that mean."""
        self.outstanding += count
        draw = self._sim.random.expovariate

        def arrive(left: int, planned: float) -> None:
            self.outstanding -= 1
            create()
            if left > 1:
                following = planned + (draw(rate) if random else 1 / rate)
                self._sim.agenda.at(following, arrive, left - 1, following)

        if count > 0:
            self._sim.agenda.at(self._sim.agenda.now, arrive, count, self._sim.agenda.now)

    def _follow(self, trace: list[Arrival]) -> None:
        self.outstanding += sum(arrival.pods for arrival in trace)
        begin, sim = self._sim.start_time, self._sim
        pods = _pods(trace, sim)

        def arrive(place: int) -> None:
            for _ in range(trace[place].pods):
                self.outstanding -= 1
                _create(sim, next(pods), trace[place])
            if place + 1 < len(trace):
                sim.agenda.at(begin + trace[place + 1].time, arrive, place + 1)

        sim.agenda.at(begin + trace[0].time, arrive, 0)


def _create(sim: Simulation, pod: Pod, arrival: Arrival) -> None:
    try:
        sim.create(pod)
    except ApiError as error:
        raise InputError(error.reason, source=arrival.source, line=arrival.line) from None


def _pods(trace: list[Arrival], sim: Simulation) -> Iterator[Pod]:
    """The pods of a trace in order; arrivals that are alike share what they are made of."""
    moulds: dict[tuple[object, ...], PodMould] = {}
    number = 0
    for arrival in trace:
        alike = arrival[1:4]
        if alike not in moulds:
            duration = Span(arrival.duration, arrival.duration) if arrival.duration is not None else None
            template = Template(requests=dict(arrival.requests), priority=arrival.priority, duration=duration)
            moulds[alike] = PodMould(template, sim.random)
        for _ in range(arrival.pods):
            yield moulds[alike].pod(f"trace-{number}", "default")
            number += 1
