"""The ``nominee`` command: a group whose subcommands are imported when they are first asked for.

A command is one entry in `COMMANDS` and one module. Nothing of the engine is imported to print
``--help`` or ``--version``, which keeps them instant.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import click
from click.shell_completion import get_completion_class

from nominee import __version__
from nominee.errors import NomineeError

PROGRAM = "nominee"
COMMANDS = {
    "bench": "nominee.cli.bench:bench",
    "completion": "nominee.cli.main:completion",
    "config": "nominee.cli.config:config",
    "decide": "nominee.cli.decide:decide",
    "plugins": "nominee.cli.plugins:plugins",
    "run": "nominee.cli.run:run",
    "simulate": "nominee.cli.simulate:simulate",
    "up": "nominee.cli.up:up",
}


_COMPINIT = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }"
"""zsh has no completion before this; who has it set up already keeps it as it is."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(name for name, target in COMMANDS.items() if find_spec(_module(target)))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(_loaded(module), attribute)
        return command


def _loaded(module: str) -> ModuleType:
    """Import it. What that makes stays: looking for garbage in it would take a tenth of the time."""
    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.enable()


def _module(target: str) -> str:
    return target.partition(":")[0]


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name=PROGRAM)
def cli() -> None:
    """Schedule pods as kube-scheduler would, extend it in Python, ask it why."""


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    Add to ~/.bashrc:  eval "$(nominee completion bash)"

    Add to ~/.zshrc:  eval "$(nominee completion zsh)"

    Run once:  nominee completion fish > ~/.config/fish/completions/nominee.fish
    """
    shell_class = get_completion_class(shell)
    assert shell_class is not None  # noqa: S101  (the choices above are click's own)
    if shell == "zsh":
        click.echo(_COMPINIT)
    click.echo(shell_class(cli, {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE").source())


def main(args: Sequence[str] | None = None) -> None:
    """Run a command and end the process: 0 done, 1 the answer is no, 2 bad input, 130 interrupted."""
    _open_closed_streams()
    sys.exit(run(args))


def _open_closed_streams() -> None:
    """A caller may have closed standard output or error; what is written there goes nowhere then."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the rest of the process
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the rest of the process


def run(args: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; what the user must know is on standard error."""
    try:
        result = cli.main(args=args, prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
    except NomineeError as error:
        return _complain(str(error), error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        return _complain(error.format_message(), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return 130
    except BrokenPipeError:
        return _without_output()
    except OSError as error:
        reason = error.strerror or str(error)
        _complain(f"{error.filename or 'output'}: {reason[:1].lower()}{reason[1:]}", 1)
        return _without_output()
    return result if isinstance(result, int) else 0


def _complain(message: str, code: int) -> int:
    click.echo(f"{PROGRAM}: error: {message}", err=True)
    return code


def _without_output() -> int:
    """Leave without another word, as ``nominee decide … | head`` expects.

    Python flushes standard output once more on its way out and would complain then, so it gets
    somewhere to write.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
