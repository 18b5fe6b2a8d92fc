"""Feature gates: which parts of the scheduler are switched on.

pkg/features/kube_features.go at v1.37, those that concern scheduling, and nominee's own;
parsing as staging/src/k8s.io/component-base/featuregate/feature_gate.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Self

from nominee.errors import ConfigError, InternalError


class Stage(Enum):
    """How mature a gate's feature is."""

    ALPHA = "alpha"
    BETA = "beta"
    GA = "GA"


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate as it is known before anybody sets it; a locked one cannot be set otherwise."""

    name: str
    stage: Stage
    default: bool
    locked: bool = False
    requires: tuple[str, ...] = ()


def _gates(stage: Stage, names: str, *, default: bool, locked: bool = False) -> Iterator[Gate]:
    for entry in names.split():
        name, _, requires = entry.partition(":")
        yield Gate(name, stage, default, locked, tuple(filter(None, requires.split(","))))


# "Name:Required" means that Name cannot be on while Required is off.
_TABLE: Final = (
    *_gates(
        Stage.GA,
        """DRAAdminAccess DRAExtendedResource DRAPrioritizedList DRAResourceClaimDeviceStatus
        DynamicResourceAllocation InPlacePodVerticalScaling MatchLabelKeysInPodAffinity
        NodeDeclaredFeatures NodeInclusionPolicyInPodTopologySpread""",
        default=True,
        locked=True,
    ),
    *_gates(Stage.GA, "DRADeviceTaintRules:DRADeviceTaints DRADeviceTaints", default=True),
    *_gates(
        Stage.BETA,
        """ClearingNominatedNodeNameAfterBinding DRAConsumableCapacity DRADeviceBindingConditions
        DRAFractionalCapacityRange DRAPartitionableDevices DRAResourceClaimGranularStatusAuthorization
        DRASchedulerFilterTimeout InPlacePodLevelResourcesVerticalScaling:PodLevelResources
        MatchLabelKeysInPodTopologySpread
        MatchLabelKeysInPodTopologySpreadSelectorMerge:MatchLabelKeysInPodTopologySpread
        NominatedNodeNameForExpectation OpportunisticBatching PodLevelResources PodTopologyLabelsAdmission
        SchedulerAsyncPreemption SchedulerPopFromBackoffQ StorageCapacityScoring TryNominatedNodeFirst
        VolumeLimitScaling""",
        default=True,
    ),
    *_gates(
        Stage.BETA,
        "CoordinatedLeaderElection DRAWorkloadResourceClaims GenericWorkload SchedulerAsyncAPICalls",
        default=False,
    ),
    *_gates(
        Stage.ALPHA,
        """CompositePodGroup DRADerivedAttributes DRADeviceCompatibilityGroups DRAListTypeAttributes
        DRANodeAllocatableResources DRAOptionalNodeOperations InPlacePodVerticalScalingSchedulerPreemption
        InterPodAffinityHostnameFastPath NominatedNodeNameFromOthers PodGroupPreemptionPolicy
        SchedulerPreQueueingHints TaintTolerationComparisonOperators
        TopologyAwareWorkloadScheduling:GenericWorkload""",
        default=False,
    ),
)

GATES: Final[Mapping[str, Gate]] = {gate.name: gate for gate in sorted(_TABLE, key=lambda gate: gate.name)}
"""Every known gate by name."""

_SWITCHES: Final = {"AllAlpha": Stage.ALPHA, "AllBeta": Stage.BETA}
_REMOVED: Final = {"SchedulerQueueingHints": "always on"}
_TRUE: Final = {"1", "t", "T", "TRUE", "true", "True"}
_FALSE: Final = {"0", "f", "F", "FALSE", "false", "False"}


@dataclass(frozen=True, slots=True)
class FeatureGates:
    """The gates of one run. ``on`` holds the names of those that are enabled."""

    on: frozenset[str] = frozenset(name for name, gate in GATES.items() if gate.default)

    @classmethod
    def parse(cls, text: str, *, source: str = "--feature-gates") -> Self:
        """Read ``A=true,B=false``; raises ConfigError in the words of Kubernetes."""
        return cls.of(dict(_settings(text, source)), source=source)

    @classmethod
    def of(cls, settings: Mapping[str, bool], *, source: str | None = None) -> Self:
        """Gates with the given ones set and all others at their defaults."""
        for name, value in settings.items():
            _check(name, value, source)
        states = {name: _state(gate, settings) for name, gate in GATES.items()}
        _check_requirements(states, source)
        return cls(frozenset(name for name, is_on in states.items() if is_on))

    def enabled(self, name: str) -> bool:
        """Whether a gate is on; asking for an unknown one is a bug of the caller."""
        if name not in GATES:
            raise InternalError(f"unknown feature gate {name!r}, add it to the table of gates")
        return name in self.on


def _settings(text: str, source: str) -> Iterator[tuple[str, bool]]:
    for part in filter(None, text.split(",")):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not equals:
            raise ConfigError(f"missing bool value for {name}", source=source)
        if value not in _TRUE | _FALSE:
            reason = f'strconv.ParseBool: parsing "{value}": invalid syntax'
            raise ConfigError(f"invalid value of {name}={value}, err: {reason}", source=source)
        yield name, value in _TRUE


def _check(name: str, value: bool, source: str | None) -> None:  # noqa: FBT001  (a gate's setting is a bool)
    if name in _SWITCHES:
        return
    gate = GATES.get(name)
    if gate is None:
        hint = f" (removed, {_REMOVED[name]})" if name in _REMOVED else ""
        raise ConfigError(f"unrecognized feature gate: {name}{hint}", source=source)
    if gate.locked and value is not gate.default:
        wanted, locked = str(value).lower(), str(gate.default).lower()
        message = f"cannot set feature gate {name} to {wanted}, feature is locked to {locked}"
        raise ConfigError(message, source=source)


def _state(gate: Gate, settings: Mapping[str, bool]) -> bool:
    """A gate's own setting wins over AllAlpha and AllBeta, these over the default."""
    for_all = {stage: settings[switch] for switch, stage in _SWITCHES.items() if switch in settings}
    return settings.get(gate.name, for_all.get(gate.stage, gate.default))


def _check_requirements(states: Mapping[str, bool], source: str | None) -> None:
    for name, is_on in states.items():
        missing = [each for each in GATES[name].requires if not states[each]]
        if is_on and missing:
            raise ConfigError(
                f"{name} is enabled, but depends on features that are disabled: [{' '.join(missing)}]",
                source=source,
            )
