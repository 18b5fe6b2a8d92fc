"""YAML's plain scalars as Kubernetes reads them, and texts written so that it reads texts.

resolve.go of go.yaml.in/yaml/v2, which kubectl and kube-scheduler v1.37 use. PyYAML differs in small
things that bite: to it ``1e3`` is a text, ``1:30`` is the number 90, ``=`` an error, and dates are no texts.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable
from typing import Any, ClassVar, Final

import yaml

_TAG: Final = "tag:yaml.org,2002:"
_LARGEST_WHOLE: Final = 1e21  # from here on Go writes a float with an exponent, and no integer takes it

_RULES: Final = (
    ("null", "~nN", r"~|null|Null|NULL|"),
    (
        "bool",
        "yYnNtTfFoO",
        r"y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF",
    ),
    ("int", "+-0123456789", r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+|0|[1-9][0-9_]*)"),
    ("float", "+-.0123456789", r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"),
    ("float", "+-.", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"),
    ("merge", "<", r"<<"),
)


_RESOLVERS: Final = {
    first: [(_TAG + kind, re.compile(f"(?:{rule})$")) for kind, firsts, rule in _RULES if first in firsts]
    for first in "~nNyYtTfFoO+-.0123456789<"
} | {"": [(_TAG + "null", re.compile("$"))]}


class KubernetesLoader(yaml.CSafeLoader):
    """CSafeLoader with Go's idea of which texts are numbers and truth values; dates are texts."""

    yaml_implicit_resolvers = _RESOLVERS
    bool_values: ClassVar = {**yaml.CSafeLoader.bool_values, "y": True, "n": False}

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        """On the way to JSON Go writes ``16.0`` and ``1.6e1`` as 16, so a field of integers takes them."""
        number = super().construct_yaml_float(node)
        return int(number) if number.is_integer() and abs(number) < _LARGEST_WHOLE else number

    def construct_yaml_int(self, node: yaml.ScalarNode) -> Any:
        """What no integer of Go's can hold is a float to it."""
        number = super().construct_yaml_int(node)
        return number if -(1 << 63) <= number < 1 << 64 else float(number)

    def construct_yaml_timestamp(self, node: yaml.ScalarNode) -> Any:
        """A date is the text it is, even where a tag says that it is a date."""
        return self.construct_yaml_str(node)


class KubernetesDumper(yaml.CSafeDumper):
    """CSafeDumper that quotes every text which Go or PyYAML would take for something else."""

    yaml_implicit_resolvers = {  # noqa: RUF012  (PyYAML's own attribute)
        first: [*_RESOLVERS.get(first, ()), *yaml.CSafeDumper.yaml_implicit_resolvers.get(first, ())]
        for first in {*_RESOLVERS, *yaml.CSafeDumper.yaml_implicit_resolvers}
    }


def _or_complain(construct: Callable[[KubernetesLoader, Any], Any]) -> Callable[[KubernetesLoader, Any], Any]:
    """PyYAML fails in any way it likes on a scalar whose tag promises something else."""

    def construct_scalar(loader: KubernetesLoader, node: yaml.ScalarNode) -> Any:
        try:
            return construct(loader, node)
        except (LookupError, ValueError) as error:
            kind, text = node.tag.removeprefix(_TAG), reprlib.repr(node.value)
            problem = f"{text} can not be read as {kind}"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from error

    return construct_scalar


for _kind in ("bool", "int", "float", "timestamp"):
    _construct = getattr(KubernetesLoader, f"construct_yaml_{_kind}")
    KubernetesLoader.add_constructor(_TAG + _kind, _or_complain(_construct))
