"""`nominee decide`: what the scheduler would decide, case by case."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from importlib.metadata import entry_points

import click
import orjson

from nominee.cli.cases import CaseReader, parse_case
from nominee.cli.decision_text import Writer
from nominee.cli.lines import Line, read_lines
from nominee.cli.options import feature_gates_option, load_given, output_option, plugins_option
from nominee.cli.progress import counter
from nominee.config.features import FeatureGates
from nominee.errors import ConfigError, InputError, NomineeError, PluginError
from nominee.scheduler.assembly import make_registry, missing_plugins
from nominee.scheduler.decision import Decision
from nominee.scheduler.decision import decide as decide_in_full

UNSCHEDULABLE, BAD_INPUT = 1, 2

Write = Callable[[str, Decision | NomineeError], None]


@click.command()
@click.argument("files", nargs=-1, type=click.Path())
@output_option("json", "text")
@feature_gates_option
@plugins_option()
def decide(files: tuple[str, ...], output: str, feature_gates: str, plugins: tuple[str, ...]) -> None:
    """Decide about pending pods, one case a line (JSON, gzip too), one decision a line.

    FILES hold cases with `objects`, `pod` and an optional `config`; "-" or nothing reads standard
    input. A malformed case is answered with its error, and the others are still decided. Ends with 0
    when every pod fits, 1 when one does not, 2 when a case was malformed.
    """
    features = FeatureGates.parse(feature_gates)
    given = load_given(plugins)
    registry = make_registry(entry_points(group="nominee.plugins"), given)
    write = _write_json if output == "json" else Writer(sys.stdout).write
    decider = Decider(CaseReader(registry, features, given), missing_plugins(registry), write)
    worst = 0
    with counter("decided") as advance:
        for line in read_lines(files):
            worst = max(worst, decider.answer(line))
            advance()
    sys.exit(worst)


class Decider:
    """Answers line after line; each answer is written, and its exit code returned."""

    def __init__(self, reader: CaseReader, missing: Collection[str], write: Write) -> None:
        self._reader = reader
        self._missing = frozenset(missing)
        self._write = write

    def answer(self, line: Line) -> int:
        """Decide about one case; what is wrong with it goes to standard error too."""
        name = line.place
        try:
            if line.problem is not None:
                raise line.problem
            data = parse_case(line.text)
            given = data.get("name")
            name = given if isinstance(given, str) and given else name
            decision = self._decide(data)
        except (ConfigError, InputError) as error:
            return self._complain(name, error.at(source=line.source, line=line.number), BAD_INPUT)
        except PluginError as error:
            return self._complain(name, error, UNSCHEDULABLE)
        self._write(name, decision)
        return 0 if decision.feasible else UNSCHEDULABLE

    def _decide(self, data: dict[str, object]) -> Decision:
        case = self._reader.read(data)
        decision = decide_in_full(case.profile, case.cluster, case.pod, now=0.0)
        self._note_left_out(case.wanted & self._missing)
        return decision

    def _note_left_out(self, plugins: frozenset[str]) -> None:
        """Say once which plugins had no say about a pod's volumes and claims."""
        if plugins:
            self._missing -= plugins
            names = ", ".join(sorted(plugins))
            click.echo(
                f"nominee: note: pods have volumes or claims; not implemented yet and left out: {names}",
                err=True,
            )

    def _complain(self, name: str, error: NomineeError, code: int) -> int:
        self._write(name, error)
        click.echo(f"nominee: error: {error}", err=True)
        return code


def _write_json(name: str, answer: Decision | NomineeError) -> None:
    said = answer.as_expected() if isinstance(answer, Decision) else {"name": name, "error": str(answer)}
    sys.stdout.buffer.write(orjson.dumps(said, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))
    sys.stdout.buffer.flush()
