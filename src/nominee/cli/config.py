"""``nominee config``: check a scheduler configuration, print it with every default."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.metadata import entry_points

import click

from nominee.cli.lines import read_standard_input
from nominee.cli.options import load_given, output_option, plugins_option
from nominee.config.default_plugins import IN_TREE_PLUGINS
from nominee.config.encode import to_yaml
from nominee.config.features import FeatureGates
from nominee.config.field import InvalidConfigurationError
from nominee.config.load import load_config
from nominee.config.types import Configuration
from nominee.errors import ConfigError
from nominee.scheduler.assembly import build_profiles, make_registry, with_plugins

PLUGIN_GROUP = "nominee.plugins"
_STANDARD_INPUT = "-"

_feature_gates = click.option(
    "--feature-gates", "gates", default="", metavar="A=true,B=false", help="Feature gates to check against."
)


@click.group()
def config() -> None:
    """Check a KubeSchedulerConfiguration, or print it with every default."""


@config.command()
@click.argument("file")
@output_option("text", "json")
@_feature_gates
@plugins_option()
@click.pass_context
def check(ctx: click.Context, file: str, output: str, gates: str, plugins: tuple[str, ...]) -> None:
    """Validate FILE (- for standard input): 0 when it is sound, 2 with one line for each fault."""
    source = _source(file)
    try:
        configuration = _load(file, gates, plugins)
    except ConfigError as error:
        if output == "json":
            click.echo(_to_json({"file": source, "valid": False, "errors": _errors(error)}))
        else:
            _print_faults(error)
        ctx.exit(error.exit_code)
    names = [profile.scheduler_name for profile in configuration.profiles]
    if output == "json":
        click.echo(_to_json({"file": source, "valid": True, "profiles": names}))
    else:
        click.echo(f"{source}: ok, {_count(len(names), 'profile')}: {', '.join(names)}")


@config.command()
@click.argument("file", required=False)
@_feature_gates
@plugins_option()
@click.pass_context
def defaults(ctx: click.Context, file: str | None, gates: str, plugins: tuple[str, ...]) -> None:
    """Print FILE (- for standard input), or the configuration of no file, with every default."""
    try:
        configuration = _load(file, gates, plugins)
    except ConfigError as error:
        _print_faults(error)
        ctx.exit(error.exit_code)
    click.echo(to_yaml(configuration), nl=False)


def known_plugins(given: Iterable[type] = ()) -> set[str]:
    """The plugins one may enable: built in, given, and installed, of which none is imported."""
    offered = (entry.name for entry in entry_points(group=PLUGIN_GROUP))
    return {*IN_TREE_PLUGINS, *offered, *(plugin.__name__ for plugin in given)}


def _load(file: str | None, gates: str, plugins: tuple[str, ...]) -> Configuration:
    """What FILE says, if a scheduler could be built from it, plugins with their arguments and all."""
    features = FeatureGates.parse(gates)
    given = load_given(plugins)
    source = _source(file) or None
    origin = _piped(source) if file == _STANDARD_INPUT else file
    configuration = load_config(origin, features=features, source=source, known_plugins=known_plugins(given))
    registry = make_registry(entry_points(group=PLUGIN_GROUP), given)
    try:
        build_profiles(with_plugins(configuration, given), features, registry)
    except ConfigError as error:
        raise error.at(source=source) from None
    return configuration


def _piped(source: str | None) -> bytes:
    try:
        return read_standard_input()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", source=source) from error


def _source(file: str | None) -> str:
    return "standard input" if file == _STANDARD_INPUT else file or ""


def _print_faults(error: ConfigError) -> None:
    lines = error.lines() if isinstance(error, InvalidConfigurationError) else [str(error)]
    for line in lines:
        click.echo(line, err=True)


def _errors(error: ConfigError) -> list[dict[str, str]]:
    if isinstance(error, InvalidConfigurationError):
        return [{"field": fault.field, "message": fault.body} for fault in error.errors]
    return [{"field": error.field or "", "message": error.message}]


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
