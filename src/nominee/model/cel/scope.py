"""The variables of an expression while it is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from nominee.model.cel.values import CelError

MAX_STEPS = 100_000
"""How many elements all comprehensions of one evaluation may visit: upstream bounds their cost."""


class Scope:
    """Variables by name; a comprehension adds its own and counts its steps."""

    __slots__ = ("_steps", "_variables")

    def __init__(self, variables: Mapping[str, Any], steps: list[int] | None = None) -> None:
        self._variables = variables
        self._steps = [0] if steps is None else steps

    def __getitem__(self, name: str) -> Any:
        return self._variables[name]

    def with_variables(self, more: Mapping[str, Any]) -> Scope:
        """A scope within this one."""
        self._steps[0] += 1
        if self._steps[0] > MAX_STEPS:
            raise CelError("operation cancelled: actual cost limit exceeded")
        return Scope({**self._variables, **more}, self._steps)


Run: TypeAlias = Callable[[Scope], Any]
