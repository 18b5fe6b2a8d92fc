"""Runs a scenario: its operations one after the other, and then on to the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from nominee.config.features import FeatureGates
from nominee.errors import ApiError, ConfigError, InputError
from nominee.model.meta import NamedObject
from nominee.model.pod import Pod
from nominee.model.policy import PriorityClass
from nominee.model.timestamps import parse_time
from nominee.profile.registry import EntryPoint
from nominee.sim.driver import Simulation
from nominee.sim.scenario.arrivals import Arrivals
from nominee.sim.scenario.chronicle import Chronicle
from nominee.sim.scenario.files import Inputs
from nominee.sim.scenario.operations import OPERATIONS, set_latency
from nominee.sim.scenario.strict_yaml import blamed
from nominee.sim.scenario.templates import NodeMould, PodMould, resolve
from nominee.sim.scenario.types import Operation, Scenario, Template, TemplateRef, is_numbered

QUIET_LIMIT = 24 * 3600.0
"""How long to go on after the last operation until nothing happens any more."""

Progress = Callable[["Run"], None]
M = TypeVar("M", PodMould, NodeMould)
_KEYS = dict(zip(Operation.__struct_fields__, Operation.__struct_encode_fields__, strict=True))


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says besides the files; None leaves it to them."""

    until: float | None = None
    seed: int | None = None
    entry_points: Iterable[EntryPoint] = ()
    progress: Progress | None = None
    plugins: Iterable[type] = ()


class Run:
    """One run of a scenario. `failures` are the expectations that did not come true."""

    def __init__(self, inputs: Inputs, options: Options | None = None) -> None:
        options = options or Options()
        scenario = inputs.scenario
        self.scenario: Scenario = scenario
        self.failures: list[str] = []
        self.until = scenario.until if options.until is None else options.until
        self.seed = scenario.seed if options.seed is None else options.seed
        self._places = inputs.places
        self._place = 0  # of the operation under way
        self.sim = self._simulation(inputs, options)
        self.chronicle = Chronicle(self.sim.world, self.sim.agenda)
        self.sim.on_event = self.chronicle.noted
        self.arrivals = Arrivals(self.sim, inputs.arrivals)
        self._progress = options.progress
        self._moulds: dict[str, PodMould] = {}
        self._numbers: dict[str, int] = {}
        set_latency(self, scenario.latency)

    def _simulation(self, inputs: Inputs, options: Options) -> Simulation:
        scenario = inputs.scenario
        try:
            FeatureGates.of(scenario.feature_gates)
        except ConfigError as error:
            raise blamed(error, self._places.settings.get("featureGates"), "featureGates") from None
        try:
            return Simulation(
                objects=sorted(inputs.objects, key=lambda item: not isinstance(item, PriorityClass)),
                features=scenario.feature_gates,
                config=scenario.config,
                plugins=options.plugins,
                entry_points=options.entry_points,
                seed=self.seed,
                start=_latest(inputs.objects),
                keep_log=False,
            )
        except ApiError as error:
            raise InputError(error.reason, field="objects") from None
        except (ConfigError, InputError) as error:
            if isinstance(scenario.config, str | None):
                raise
            raise blamed(error, self._places.settings.get("config"), "config") from None

    def run(self) -> None:
        """All of it."""
        for place, operation in enumerate(self.scenario.operations):
            self._place = place
            if self._is_over(operation.at):
                break
            self.blaming(partial(self._do, operation))()
        self.go_on(lambda: False, self.until, QUIET_LIMIT)

    def blaming(self, act: Callable[[], None]) -> Callable[[], None]:
        """The same, now or later, with this operation to blame for what is wrong with it."""
        document, field = self._places.operation(self._place)

        def act_or_blame() -> None:
            try:
                act()
            except (InputError, ConfigError) as error:
                raise blamed(error, document, field) from None
            except ApiError as error:
                raise blamed(InputError(error.reason), document, field) from None

        return act_or_blame

    # -- time -----------------------------------------------------------------------------------

    def _is_over(self, at: float | None) -> bool:
        """Go on to the time of an operation; True if the end comes before it."""
        if at is not None and at > self.sim.now:
            self.go_on(lambda: False, min(at, self.until) if self.until is not None else at)
        return self.until is not None and self.sim.now >= self.until

    def go_on(self, done: Callable[[], bool], until: float | None, limit: float = QUIET_LIMIT) -> bool:
        """Event by event, until it is done, or the time is reached, or (without a time) all is quiet."""
        sim, progress, count = self.sim, self._progress, 0
        end = until if until is not None else sim.now + limit
        sim.settle()
        while not done():
            if not sim.advance_to_next(end, patient=until is None):
                return done()
            count += 1
            if progress is not None and count % 64 == 0:
                progress(self)
        return True

    # -- operations -----------------------------------------------------------------------------

    def _do(self, operation: Operation) -> None:
        for name, act in OPERATIONS.items():
            if (what := getattr(operation, name)) is not None:
                try:
                    act(self, what)
                except (InputError, ConfigError) as error:
                    raise error.at(field=None if error.source else _KEYS[name]) from None
                except ApiError as error:
                    raise InputError(error.reason, field=_KEYS[name]) from None
        self.sim.settle()

    # -- small matters --------------------------------------------------------------------------

    def mould(self, reference: TemplateRef) -> PodMould:
        if isinstance(reference, str) and reference in self._moulds:
            return self._moulds[reference]
        mould = self._moulded(reference, lambda template: PodMould(template, self.sim.random))
        if isinstance(reference, str):
            self._moulds[reference] = mould
        return mould

    def node_mould(self, reference: TemplateRef) -> NodeMould:
        return self._moulded(reference, NodeMould)

    def _moulded(self, reference: TemplateRef, make: Callable[[Template], M]) -> M:
        template = resolve(reference, self.scenario.templates)
        try:
            return make(template)
        except InputError as error:
            if not isinstance(reference, str):
                raise error.at(field="template") from None
            raise blamed(error, self._places.templates.get(reference), f"templates.{reference}") from None

    def name(self, prefix: str) -> str:
        """Names that end in - or . are numbered; others are taken as they are, once."""
        if not is_numbered(prefix):
            return prefix
        number = self._numbers.get(prefix, 0)
        self._numbers[prefix] = number + 1
        return f"{prefix}{number}"


def _latest(objects: Iterable[NamedObject]) -> float:
    """The latest time that stands in a snapshot: that is when the simulation begins."""
    times = {item.metadata.creation_timestamp for item in objects}
    times |= {item.status.start_time or "" for item in objects if isinstance(item, Pod)}
    return max((parse_time(text) for text in times if text), default=0.0)
