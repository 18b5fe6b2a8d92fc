from typing import Any

import pytest

from nominee.cli.cases import CaseReader
from nominee.cli.decide import Decider
from nominee.cli.lines import Line
from nominee.cli.volume_needs import plugins_wanted
from nominee.config.features import FeatureGates
from nominee.model.codec import decode
from nominee.model.pod import Pod
from nominee.scheduler.assembly import make_registry

OF_CLAIMS = {"NodeVolumeLimits", "VolumeBinding", "VolumeRestrictions", "VolumeZone"}
GPU = [{"name": "c", "resources": {"requests": {"example.com/gpu": "1"}}}]


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({}, set()),
        ({"volumes": [{"name": "v", "emptyDir": {}}]}, set()),
        ({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}, OF_CLAIMS),
        ({"volumes": [{"name": "v", "ephemeral": {}}]}, OF_CLAIMS),
        ({"volumes": [{"name": "v", "gcePersistentDisk": {"pdName": "d"}}]}, {"VolumeRestrictions"}),
        ({"resourceClaims": [{"name": "gpu"}]}, {"DynamicResources"}),
        ({"containers": GPU}, {"DynamicResources"}),
    ],
)
def test_volumes_and_claims_name_the_plugins_they_need(spec: dict[str, Any], wanted: set[str]) -> None:
    assert plugins_wanted(decode(Pod, {"spec": spec}), {"example.com/gpu"}) == wanted


def test_a_plain_extended_resource_needs_no_plugin_of_its_own() -> None:
    assert not plugins_wanted(decode(Pod, {"spec": {"containers": GPU}}))


def test_what_is_left_out_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    decider = Decider(CaseReader(make_registry(), FeatureGates()), {"VolumeZone"}, lambda *_: None)
    text = b'{"pod": {"metadata": {"name": "p"}, "spec": {"volumes": [{"name": "v", "ephemeral": {}}]}}}'
    for number in (1, 2):
        decider.answer(Line("f", number, text))
    assert capsys.readouterr().err == (
        "nominee: note: pods have volumes or claims; not implemented yet and left out: VolumeZone\n"
    )
