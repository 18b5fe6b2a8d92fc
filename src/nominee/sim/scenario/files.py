"""Files to scenarios: scenario files, cluster snapshots and traces, merged in the order they are given."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from nominee.errors import InputError
from nominee.model.codec import decode_objects
from nominee.model.meta import NamedObject
from nominee.model.pod import Pod
from nominee.sim.run_time import run_time
from nominee.sim.scenario.strict_yaml import Document, read_documents, read_scenario
from nominee.sim.scenario.traces import Arrival, read_csv, read_record
from nominee.sim.scenario.types import Operation, Scenario

_GZIP = b"\x1f\x8b"


@dataclass(slots=True)
class Places:
    """Where the parts of a merged scenario stand: for errors that come to light later."""

    operations: list[tuple[Document, str]] = field(default_factory=list)
    templates: dict[str, Document] = field(default_factory=dict)
    settings: dict[str, Document] = field(default_factory=dict)

    def note(self, scenario: Scenario, document: Document) -> None:
        self.operations += [(document, f"operations[{place}]") for place in range(len(scenario.operations))]
        self.templates |= dict.fromkeys(scenario.templates, document)
        self.settings |= dict.fromkeys(document.data, document)

    def operation(self, place: int) -> tuple[Document | None, str]:
        """Which document, and what the operation is called there."""
        return self.operations[place] if self.operations else (None, f"operations[{place}]")


@dataclass(slots=True)
class Inputs:
    """All that is to be simulated: the scenario, the objects there are before it, the pods to arrive."""

    scenario: Scenario = field(default_factory=Scenario)
    objects: list[NamedObject] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    places: Places = field(default_factory=Places)


def read_inputs(names: Iterable[str], piped: Callable[[], bytes] | None = None) -> Inputs:
    """Read files and merge them; raises InputError that names the file, the line and the field.

    `piped` reads what `-` stands for.
    """
    inputs = Inputs()
    for given in names:
        name, read = given, Path(given).read_bytes
        if given == "-" and piped is not None:
            name, read = "<stdin>", piped
        content = _read(name, read)
        if name.removesuffix(".gz").endswith(".csv"):
            inputs.arrivals += read_csv(content, name)
        elif content.lstrip()[:1] == b"{":
            _add_json(content, name, inputs)
        else:
            _add_yaml(content, name, inputs)
    for place, operation in enumerate(inputs.scenario.operations):
        _check(operation, place)
    return inputs


def _read(name: str, read: Callable[[], bytes]) -> bytes:
    try:
        content = read()
        return gzip.decompress(content) if content.startswith(_GZIP) else content
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"can not be read: {reason[:1].lower()}{reason[1:]}", source=name) from None


def _add_yaml(content: bytes, name: str, inputs: Inputs) -> None:
    empty = True
    for document in read_documents(content, name):
        _add_document(document, inputs)
        empty = False
    if empty:
        raise InputError("nothing in it: expected a scenario, objects or a trace", source=name)


def _add_json(content: bytes, name: str, inputs: Inputs) -> None:
    """One JSON document, or one a line; a record without a kind is a pod of a trace, or a scenario."""
    for number, data in _json_values(content, name):
        if "kind" in data:
            inputs.objects += _decoded(data, name, number)
        elif "time" in data or number is not None:
            inputs.arrivals.append(read_record(data, name, number))
        else:
            _add_document(next(read_documents(content, name)), inputs)


def _json_values(content: bytes, name: str) -> Iterator[tuple[int | None, dict[str, Any]]]:
    try:
        yield None, orjson.loads(content)
        return
    except orjson.JSONDecodeError:
        lines = content.splitlines()
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                data = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise InputError(f"not JSON: {error}", source=name, line=number) from None
            if not isinstance(data, dict):
                raise InputError("expected an object", source=name, line=number)
            yield number, data


def _add_document(document: Document, inputs: Inputs) -> None:
    data = document.data
    if not isinstance(data, dict):
        raise InputError("expected a mapping: a scenario or an object with a kind", source=document.source)
    if "kind" in data:
        inputs.objects += _decoded(data, document.source, document.line(""))
        return
    scenario = read_scenario(document)
    for place, item in enumerate(scenario.objects):
        where = f"objects[{place}]"
        try:
            inputs.objects += _checked(item)
        except InputError as error:
            raise error.at(source=document.source, line=document.line(where), field=where) from None
    for place, operation in enumerate(scenario.operations):
        try:
            _check(operation, place)
        except InputError as error:
            where = f"operations[{place}]"
            raise error.at(source=document.source, line=document.line(where)) from None
    if isinstance(scenario.config, str):
        scenario.config = str(Path(document.source).parent / scenario.config)
    inputs.places.note(scenario, document)
    merge(inputs.scenario, scenario, data)


def _decoded(data: dict[str, Any], source: str, line: int | None) -> list[NamedObject]:
    try:
        return list(_checked(data))
    except InputError as error:
        raise error.at(source=source, line=line) from None


def _checked(data: dict[str, Any]) -> Iterator[NamedObject]:
    """Also what nobody but a simulation reads."""
    for item in decode_objects(data):
        if isinstance(item, Pod):
            run_time(item)
        yield item


def merge(into: Scenario, other: Scenario, given: dict[str, Any]) -> None:
    """Lists are appended, mappings updated, and a single value replaced if the other file gives it."""
    into.operations += other.operations
    into.templates |= other.templates
    into.feature_gates |= other.feature_gates
    for name in into.latency.__struct_fields__:
        if (value := getattr(other.latency, name)) is not None:
            setattr(into.latency, name, value)
    for name, key in (
        ("description", "description"),
        ("seed", "seed"),
        ("until", "until"),
        ("expect_pending", "expectPending"),
        ("config", "config"),
    ):
        if key in given:
            setattr(into, name, getattr(other, name))


def _check(operation: Operation, place: int) -> None:
    said = [
        name for name in operation.__struct_fields__ if name != "at" and getattr(operation, name) is not None
    ]
    if len(said) != 1:
        allowed = ", ".join(info for info in Operation.__struct_encode_fields__ if info != "at")
        problem = f"must say exactly one thing to do, says {len(said)}: allowed are {allowed}"
        raise InputError(problem, field=f"operations[{place}]")
