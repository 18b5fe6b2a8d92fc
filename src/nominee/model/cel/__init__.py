"""CEL, as far as Kubernetes' device selectors use it: text to a program, a program to an answer.

::

    text ── syntax ──> nodes ── program ──> closures ── variables ──> value
              │          │         │
            tokens       │      macros, functions (operators, strings, lists, times, addresses, formats, …)
                         │
                      checking ── signatures, kinds: refuses what never could have a value
"""

from __future__ import annotations

from nominee.model.cel.program import Program, compile_expression
from nominee.model.cel.values import CelError, Optional, Quantity, Semver

__all__ = ["CelError", "Optional", "Program", "Quantity", "Semver", "compile_expression"]
