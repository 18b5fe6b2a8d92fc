"""The grammar of CEL: words to a tree.

Follows the language definition of CEL (cel-spec, doc/langdef.md) with the optional syntax `.?`, `[?…]`
and `?` before elements of lists and maps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from nominee.model.cel.tokens import Token, tokens_of
from nominee.model.cel.values import CelError


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant."""

    value: object


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """`operand.field`, or `operand.?field`."""

    operand: Expression
    field: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """`operand[key]`, or `operand[?key]`."""

    operand: Expression
    key: Expression
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`, or `target.function(arguments)`; operators are calls too."""

    target: Expression | None
    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list; an element may be an optional that is left out if it has no value."""

    elements: tuple[tuple[bool, Expression], ...]


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map, likewise."""

    entries: tuple[tuple[bool, Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """`condition ? yes : no`."""

    condition: Expression
    yes: Expression
    no: Expression


Expression: TypeAlias = Literal | Name | Select | Index | Call | ListOf | MapOf | Choice

_CONSTANTS = {"true": True, "false": False, "null": None}
_RESERVED = {
    "as", "break", "const", "continue", "else", "for", "function", "if", "import", "in", "let", "loop",
    "package", "namespace", "return", "var", "void", "while",
}  # fmt: skip
_LEVELS: tuple[frozenset[str], ...] = (
    frozenset({"||"}),
    frozenset({"&&"}),
    frozenset({"<", "<=", ">", ">=", "==", "!=", "in"}),
    frozenset({"+", "-"}),
    frozenset({"*", "/", "%"}),
)
_MAX_DEPTH = 50


def parse(text: str) -> Expression:
    """The tree of an expression; raises CelError."""
    parser = _Parser(tokens_of(text))
    expression = parser.expression()
    parser.expect("end", "")
    return expression


class _Parser:
    """Recursive descent, one word ahead."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    # -- words ----------------------------------------------------------------------------------

    def _is(self, *signs: str) -> bool:
        token = self._tokens[self._at]
        return token.kind in ("sign", "name") and token.value in signs

    def _accept(self, *signs: str) -> str | None:
        if not self._is(*signs):
            return None
        self._at += 1
        return str(self._tokens[self._at - 1].value)

    def expect(self, kind: str, *values: str) -> str:
        """The next word, which must be of that kind and, if any are given, one of these."""
        token = self._tokens[self._at]
        if token.kind != kind or (values and token.value not in values):
            found = token.value if token.kind != "end" else "end of expression"
            raise CelError(f"syntax error at character {token.position + 1}: unexpected {found!r}")
        self._at += 1
        return str(token.value)

    # -- grammar --------------------------------------------------------------------------------

    def expression(self) -> Expression:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise CelError("expression is nested too deeply")
        condition = self._binary(0)
        if self._accept("?"):
            yes = self._binary(0)
            self.expect("sign", ":")
            condition = Choice(condition, yes, self.expression())
        self._depth -= 1
        return condition

    def _binary(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while operator := self._accept(*_LEVELS[level]):
            left = Call(None, f"_{operator}_", (left, self._binary(level + 1)))
        return left

    def _unary(self) -> Expression:
        """Two signs cancel each other before anybody asks what they are put before."""
        sign, count = self._accept("!", "-"), 0
        while sign and (not count or self._accept(sign)):
            count += 1
        operand = self._member()
        if not count % 2:
            return operand
        if sign == "-" and isinstance(operand, Literal) and _is_number(operand.value):
            return Literal(-operand.value)  # type: ignore[operator]
        return Call(None, f"{sign}_", (operand,))

    def _member(self) -> Expression:
        operand = self._primary()
        while sign := self._accept(".", ".?", "[", "[?"):
            if sign in (".", ".?"):
                operand = self._selected(operand, optional=sign == ".?")
            else:
                operand = Index(operand, self.expression(), sign == "[?")
                self.expect("sign", "]")
        return operand

    def _selected(self, operand: Expression, *, optional: bool) -> Expression:
        if self._tokens[self._at].kind == "quoted":
            return Select(operand, self.expect("quoted"), optional)
        field = self.expect("name")
        if not optional and self._accept("("):
            return Call(operand, field, self._until(")"))
        return Select(operand, field, optional)

    def _primary(self) -> Expression:
        token = self._tokens[self._at]
        if token.kind == "literal":
            self._at += 1
            return Literal(token.value)
        if self._accept("("):
            inner = self.expression()
            self.expect("sign", ")")
            return inner
        if self._is("[", "[?"):
            return self._list()
        if self._accept("{"):
            return self._map()
        self._accept(".")
        return self._named()

    def _named(self) -> Expression:
        name = self.expect("name")
        if name in _CONSTANTS:
            return Literal(_CONSTANTS[name])
        if name in _RESERVED:
            raise CelError(f"syntax error: reserved identifier {name!r}")
        return Call(None, name, self._until(")")) if self._accept("(") else Name(name)

    def _until(self, closing: str) -> tuple[Expression, ...]:
        items: list[Expression] = []
        while not self._accept(closing):
            items.append(self.expression())
            if not self._accept(","):
                self.expect("sign", closing)
                break
        return tuple(items)

    def _list(self) -> ListOf:
        optional = self.expect("sign", "[", "[?") == "[?"
        elements: list[tuple[bool, Expression]] = []
        while not self._accept("]"):
            optional = bool(self._accept("?")) or optional
            elements.append((optional, self.expression()))
            optional = False
            if not self._accept(","):
                self.expect("sign", "]")
                break
        return ListOf(tuple(elements))

    def _map(self) -> MapOf:
        entries: list[tuple[bool, Expression, Expression]] = []
        while not self._accept("}"):
            optional = bool(self._accept("?"))
            key = self.expression()
            self.expect("sign", ":")
            entries.append((optional, key, self.expression()))
            if not self._accept(","):
                self.expect("sign", "}")
                break
        return MapOf(tuple(entries))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
