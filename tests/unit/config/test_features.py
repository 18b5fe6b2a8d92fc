import pytest

from nominee.config.features import GATES, FeatureGates, Stage
from nominee.errors import ConfigError, InternalError


def fault(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        FeatureGates.parse(text)
    return caught.value.message


@pytest.mark.parametrize(
    ("name", "stage", "default"),
    [
        ("TryNominatedNodeFirst", Stage.BETA, True),
        ("NominatedNodeNameForExpectation", Stage.BETA, True),
        ("NominatedNodeNameFromOthers", Stage.ALPHA, False),
        ("SchedulerAsyncPreemption", Stage.BETA, True),
        ("SchedulerAsyncAPICalls", Stage.BETA, False),
        ("GenericWorkload", Stage.BETA, False),
        ("DynamicResourceAllocation", Stage.GA, True),
    ],
)
def test_stages_and_defaults(name: str, stage: Stage, default: bool) -> None:
    assert (GATES[name].stage, GATES[name].default) == (stage, default)
    assert FeatureGates().enabled(name) is default


def test_settings_override_defaults() -> None:
    gates = FeatureGates.parse(" SchedulerAsyncPreemption = F ,SchedulerAsyncAPICalls=1,")
    assert not gates.enabled("SchedulerAsyncPreemption")
    assert gates.enabled("SchedulerAsyncAPICalls")
    assert gates.enabled("TryNominatedNodeFirst")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Foo=true", "unrecognized feature gate: Foo"),
        (
            "SchedulerQueueingHints=true",
            "unrecognized feature gate: SchedulerQueueingHints (removed, always on)",
        ),
        ("GenericWorkload", "missing bool value for GenericWorkload"),
        (
            "GenericWorkload=yes",
            'invalid value of GenericWorkload=yes, err: strconv.ParseBool: parsing "yes": invalid syntax',
        ),
        (
            "NodeDeclaredFeatures=false",
            "cannot set feature gate NodeDeclaredFeatures to false, feature is locked to true",
        ),
        (
            "TopologyAwareWorkloadScheduling=true",
            (
                "TopologyAwareWorkloadScheduling is enabled, but depends on features that are disabled: "
                "[GenericWorkload]"
            ),
        ),
    ],
)
def test_refuses_in_kubernetes_words(text: str, message: str) -> None:
    assert fault(text) == message


def test_all_alpha_and_all_beta_give_way_to_a_gates_own_setting() -> None:
    gates = FeatureGates.parse("AllAlpha=true,AllBeta=true,SchedulerPreQueueingHints=false")
    assert gates.enabled("NominatedNodeNameFromOthers")
    assert gates.enabled("SchedulerAsyncAPICalls")
    assert not gates.enabled("SchedulerPreQueueingHints")


def test_all_beta_off_leaves_ga_on() -> None:
    gates = FeatureGates.parse("AllBeta=false")
    assert not gates.enabled("SchedulerAsyncPreemption")
    assert gates.enabled("DRADeviceTaints")


def test_a_locked_gate_may_be_set_to_what_it_is() -> None:
    assert FeatureGates.parse("NodeDeclaredFeatures=true") == FeatureGates()


def test_ga_gates_that_are_not_locked_can_be_turned_off() -> None:
    assert not FeatureGates.parse("DRADeviceTaints=false,DRADeviceTaintRules=false").enabled(
        "DRADeviceTaints"
    )


def test_asking_for_an_unknown_gate_is_a_bug() -> None:
    with pytest.raises(InternalError, match="unknown feature gate 'Foo'"):
        FeatureGates().enabled("Foo")
