"""Refuses constants that a function can do nothing with: a pattern that is none, a text that is no number.

Reproduces cel.ValidateDurationLiterals and its kin (cel-go cel/validator.go) and the folding of constants
(cel-go interpreter/decorators.go), as far as the compiler of device selectors has them.
"""

from __future__ import annotations

from contextlib import suppress

from nominee.model.cel.functions import FUNCTIONS
from nominee.model.cel.regex import compile_regex
from nominee.model.cel.regex_syntax import UnknownClassError
from nominee.model.cel.syntax import Call, Literal

_CONVERSIONS = frozenset({"int", "uint", "double", "bool", "duration", "timestamp"})
_WITH_PATTERN = frozenset({"matches", "find", "findAll"})


def check_constants(node: Call) -> None:
    """Try what can be tried before there is a device; raises CelError where that fails."""
    if node.function in _CONVERSIONS and node.target is None:
        value = _constant(node, 0)
        if value is not None:
            FUNCTIONS[node.function](value)
    if node.function in _WITH_PATTERN:
        pattern = _constant(node, 1 if node.target is None else 0)
        if isinstance(pattern, str):
            with suppress(UnknownClassError):
                compile_regex(pattern)


def _constant(node: Call, position: int) -> object:
    """The value of an argument, if it is written out there."""
    argument = node.arguments[position] if position < len(node.arguments) else None
    return argument.value if isinstance(argument, Literal) else None
