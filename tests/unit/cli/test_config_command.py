import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nominee.cli.config import config

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def run(*args: str, text: str | None = None) -> Result:
    return CliRunner().invoke(config, list(args), input=text)


@pytest.fixture
def broken(tmp_path: Path) -> str:
    file = tmp_path / "broken.yaml"
    file.write_text(f"{HEAD}parallelism: 0\npercentageOfNodesToScore: 101\n")
    return str(file)


def test_a_sound_file_is_ok_and_shows_its_profiles() -> None:
    result = run("check", "-", text=f"{HEAD}profiles: [{{schedulerName: a}}, {{schedulerName: b}}]")
    assert (result.exit_code, result.stdout) == (0, "standard input: ok, 2 profiles: a, b\n")


def test_each_fault_is_a_line_on_standard_error(broken: str) -> None:
    result = run("check", broken)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        f"{broken}: parallelism: Invalid value: 0: should be an integer value greater than zero",
        f"{broken}: percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
    ]


def test_programs_read_json(broken: str) -> None:
    result = run("check", broken, "-o", "json")
    answer = json.loads(result.stdout)
    assert result.exit_code == 2
    assert (answer["valid"], answer["file"]) == (False, broken)
    assert answer["errors"][0] == {
        "field": "parallelism",
        "message": "Invalid value: 0: should be an integer value greater than zero",
    }
    sound = json.loads(run("check", "-", "-o", "json", text=HEAD).stdout)
    assert sound == {"file": "standard input", "valid": True, "profiles": ["default-scheduler"]}


def test_misspelt_plugins_are_found() -> None:
    text = f"{HEAD}profiles: [{{plugins: {{score: {{enabled: [{{name: ImageLocalty}}]}}}}}}]"
    result = run("check", "-", text=text)
    assert result.stderr == (
        "standard input: profiles[0].plugins.score.enabled[0].name: "
        'Not found: "ImageLocalty": did you mean "ImageLocality"?\n'
    )


@pytest.mark.parametrize(
    ("plugins", "place", "fault"),
    [
        (
            "{score: {enabled: [{name: NodeName}]}}",
            "profiles[0].plugins.score.enabled[0].name",
            'plugin "NodeName" does not extend ScorePlugin plugin',
        ),
        (
            "{preScore: {enabled: [{name: ImageLocality}]}}",
            "profiles[0].plugins.preScore.enabled[0].name",
            'plugin "ImageLocality" does not extend PreScorePlugin plugin',
        ),
        (
            "{bind: {disabled: [{name: '*'}]}}",
            "profiles[0].plugins",
            'at least one bind plugin is needed for profile with scheduler name "default-scheduler"',
        ),
    ],
)
def test_a_file_from_which_no_scheduler_could_be_built_is_not_sound(
    plugins: str, place: str, fault: str
) -> None:
    result = run("check", "-", text=f"{HEAD}profiles: [{{plugins: {plugins}}}]")
    who = "creating profile for scheduler name default-scheduler"
    assert (result.exit_code, result.stderr) == (2, f"standard input: {place}: {who}: {fault}\n")


def test_printed_defaults_are_sound_and_complete(tmp_path: Path) -> None:
    printed = run("defaults").stdout
    file = tmp_path / "full.yaml"
    file.write_text(printed)
    assert run("check", str(file)).exit_code == 0
    assert run("defaults", str(file)).stdout == printed


def test_defaults_refuses_what_check_refuses(broken: str) -> None:
    assert run("defaults", broken).exit_code == 2


def test_gates_are_checked_and_applied() -> None:
    result = run("check", "-", "--feature-gates", "Foo=true", text=HEAD)
    assert (result.exit_code, result.stderr) == (2, "--feature-gates: unrecognized feature gate: Foo\n")
    assert "GangScheduling" in run("defaults", "--feature-gates", "GenericWorkload=true").stdout


def test_a_missing_file_is_bad_input() -> None:
    result = run("check", "/no/such/file")
    assert (result.exit_code, result.stderr) == (
        2,
        "/no/such/file: cannot be read: No such file or directory\n",
    )
