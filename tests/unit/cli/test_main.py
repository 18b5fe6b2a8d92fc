import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import click
import pytest

from nominee import __version__
from nominee.cli import main as module
from nominee.cli.main import COMMANDS, cli, run
from nominee.errors import ConfigError, InternalError, NomineeError


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Make ``nominee fail`` a command that raises what the test says."""

    def install(error: BaseException) -> None:
        def fail() -> None:
            raise error

        monkeypatch.setitem(COMMANDS, "fail", "nominee.cli.main:fail")
        monkeypatch.setattr(module, "fail", click.command()(fail), raising=False)

    return install


def test_version_is_the_package_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"nominee, version {__version__}\n"


@pytest.mark.parametrize("name", cli.list_commands(click.Context(cli)))
def test_every_listed_command_loads_and_bears_its_name(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.name == name


def options_of(command: click.Command, path: str = "nominee") -> Iterator[tuple[str, click.Option]]:
    """Every option of the command and of those below it."""
    yield from ((path, each) for each in command.params if isinstance(each, click.Option))
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), name)
            assert below is not None
            yield from options_of(below, f"{path} {name}")


def test_every_option_says_what_it_does() -> None:
    silent = [f"{path} {option.opts[-1]}" for path, option in options_of(cli) if not option.help]
    assert silent == []


@pytest.mark.parametrize("command", ["run", "up --in-memory --port 0", "config check"])
def test_a_file_without_a_name_is_bad_input(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    option = [] if command == "config check" else ["--config"]
    assert run([*command.split(), *option, ""]) == 2
    assert capsys.readouterr().err.endswith("the name of the configuration file is empty\n")


def test_up_does_not_listen_everywhere_by_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["up", "--in-memory", "--port", "0", "--listen", ""]) == 2
    assert "--listen is empty" in capsys.readouterr().err


def test_a_command_without_a_module_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "absent", "nominee.cli.absent:absent")
    assert "absent" not in cli.list_commands(click.Context(cli))


def test_an_unknown_command_is_bad_input_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["decode"]) == 2
    assert re.fullmatch(r"nominee: error: .*'decode'.*\n", capsys.readouterr().err)


def test_no_command_prints_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert "Commands:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (ConfigError("unknown field", source="a.yaml", field="x"), 2, "a.yaml: x: unknown field"),
        (InternalError("row 3 is taken"), 1, "row 3 is taken"),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(
    failing: Callable[[BaseException], None],
    capsys: pytest.CaptureFixture[str],
    error: NomineeError,
    code: int,
    line: str,
) -> None:
    failing(error)
    assert run(["fail"]) == code
    assert capsys.readouterr().err == f"nominee: error: {line}\n"


def test_an_interrupt_ends_with_130(failing: Callable[[BaseException], None]) -> None:
    failing(KeyboardInterrupt())
    assert run(["fail"]) == 130


def test_a_command_may_answer_no(failing: Callable[[BaseException], None]) -> None:
    failing(click.exceptions.Exit(1))
    assert run(["fail"]) == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_the_script_of_the_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert f"_NOMINEE_COMPLETE={shell}_complete" in capsys.readouterr().out


def test_zsh_gets_its_completion_started_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "zsh"]) == 0
    assert capsys.readouterr().out.startswith("(( $+functions[compdef] )) || { autoload -Uz compinit")


def test_completion_answers_the_shell() -> None:
    """The script above calls the program back in this way."""
    answer = _python(
        "-m",
        "nominee",
        env={"_NOMINEE_COMPLETE": "bash_complete", "COMP_WORDS": "nominee comp", "COMP_CWORD": "1"},
    )
    assert answer.stdout.split() == ["plain,completion"]


@pytest.mark.parametrize("write", ["click.echo('x')", "sys.stdout.write('x')"])
def test_a_closed_pipe_is_left_quietly(write: str) -> None:
    """Click flushes at once, a plain write is still in the buffer when the command ends."""
    program = f"""
import sys, click
from nominee.cli import main
main.COMMANDS["write"] = "nominee.cli.main:write"
main.write = click.command("write")(lambda: {write})
main.main(["write"])
"""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        left = _python("-c", program, stdout=writer)
    finally:
        os.close(writer)
    assert (left.returncode, left.stderr) == (1, "")


def _python(
    *args: str, env: dict[str, str] | None = None, stdout: int = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args],
        env={**os.environ, **(env or {})},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("command", ["decide", "config check -"])
def test_a_closed_standard_input_is_bad_input_in_one_line(command: str) -> None:
    program = f"{sys.executable} -m nominee {command} <&-"
    ended = subprocess.run(program, shell=True, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.endswith("read: standard input is closed\n")
    assert ended.stderr.count("\n") == 1


def test_a_full_disk_is_one_line() -> None:
    program = f"{sys.executable} -m nominee plugins >/dev/full"
    ended = subprocess.run(program, shell=True, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, "nominee: error: output: no space left on device\n")


def test_a_closed_standard_output_takes_nothing() -> None:
    program = f"{sys.executable} -m nominee plugins >&-"
    ended = subprocess.run(program, shell=True, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
