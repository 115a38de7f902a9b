"""The little language of `--where`: `category=manuals and (date>2024-01-01 or not language in (en, pt))`.

Conditions are `= != > >= < <=`, `in (a, b)` and `between a and b`, combined with `and`, `or`, `not` and parentheses.
Keywords may be in any case. A value in single or double quotes is text; a quote inside is doubled. Unquoted, `true` and
`false` are bools, JSON numbers are numbers, and the rest is text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from sourcebook.errors import BadFilter
from sourcebook.model.search import And, Between, Equals, GreaterThan, In, LessThan, Not, Or
from sourcebook.retrieve.filters.filter_meaning import MAX_DEPTH, check, parse_field

if TYPE_CHECKING:
    from collections.abc import Callable

    from sourcebook.model.search import MetadataFilter

HINT = 'For example: language=en and category!=drafts. Put quotes around a value with spaces: title="A b".'

KEYWORDS = ("and", "or", "not", "in", "between")
_TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>'(?:[^']|'')*'|"(?:[^"]|"")*")|(?P<mark>[!<>]=|[=<>(),])|(?P<word>[^\s'"=!<>(),]+))"""
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<fraction>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)", re.ASCII)

_COMPARISONS: dict[str, Callable[[str, str | int | float | bool], MetadataFilter]] = {
    "=": Equals,
    "!=": lambda field, value: Not(Equals(field, value)),
    ">": GreaterThan,
    "<": LessThan,
    ">=": lambda field, value: Or((Equals(field, value), GreaterThan(field, value))),
    "<=": lambda field, value: Or((Equals(field, value), LessThan(field, value))),
}


def parse_where(text: str) -> MetadataFilter:
    """The checked filter that the text describes, or BadFilter that says where it stops making sense."""
    parser = _Parser(_tokens(text))
    tree = parser.alternatives()
    if not parser.sees(_Kind.END):
        raise parser.expected("`and`, `or` or the end")
    return check(tree)


class _Kind(Enum):
    WORD = auto()
    QUOTED = auto()
    MARK = auto()
    KEYWORD = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: _Kind
    text: str
    position: int


def parse_narrowing(where: str | None, category: str | None) -> MetadataFilter | None:
    """The filter of a search that names conditions, a category, both or neither."""
    written = None if where is None else parse_where(where)
    if category is None:
        return written
    of_category = Equals("category", category)
    return of_category if written is None else And((written, of_category))


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise _stuck(text, position)
        tokens.append(_token(match))
        position = match.end()
    return [*tokens, _Token(_Kind.END, "", end)]


def _stuck(text: str, position: int) -> BadFilter:
    rest = text[position:].lstrip()
    at = len(text) - len(rest)
    problem = "this quote is never closed" if rest[0] in "'\"" else f"expected `!=`, found `{rest[0]}`"
    return _bad(at, problem)


def _token(match: re.Match[str]) -> _Token:
    group = match.lastgroup or ""
    text, start = match[group], match.start(group)
    if group == "quoted":
        return _Token(_Kind.QUOTED, text[1:-1].replace(text[0] * 2, text[0]), start)
    if group == "mark":
        return _Token(_Kind.MARK, text, start)
    if text.lower() in KEYWORDS:
        return _Token(_Kind.KEYWORD, text.lower(), start)
    return _Token(_Kind.WORD, text, start)


def _bad(position: int, problem: str) -> BadFilter:
    return BadFilter(f"The filter has an error at character {position + 1}: {problem}.", hint=HINT)


class _Parser:
    """Reads the tokens once, from left to right."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0

    def alternatives(self) -> MetadataFilter:
        parts = [self._requirements()]
        while self._take(_Kind.KEYWORD, "or"):
            parts.append(self._requirements())
        return parts[0] if len(parts) == 1 else Or(parts)

    def _requirements(self) -> MetadataFilter:
        parts = [self._part()]
        while self._take(_Kind.KEYWORD, "and"):
            parts.append(self._part())
        return parts[0] if len(parts) == 1 else And(parts)

    def _part(self) -> MetadataFilter:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _bad(self._token.position, f"it nests more than {MAX_DEPTH} levels deep")
        part = self._unguarded_part()
        self._depth -= 1
        return part

    def _unguarded_part(self) -> MetadataFilter:
        if self._take(_Kind.KEYWORD, "not"):
            return Not(self._part())
        if self._take(_Kind.MARK, "("):
            inner = self.alternatives()
            self._demand(_Kind.MARK, ")", "`and`, `or` or `)`")
            return inner
        return self._condition()

    def _condition(self) -> MetadataFilter:
        field = self._field()
        if self._take(_Kind.KEYWORD, "in"):
            return In(field, self._list())
        if self._take(_Kind.KEYWORD, "between"):
            low = self._value()
            self._demand(_Kind.KEYWORD, "and", "`and` and the upper end")
            return Between(field, low, self._value())
        operator = self._token
        if operator.kind is not _Kind.MARK or operator.text not in _COMPARISONS:
            raise self.expected("one of `= != > >= < <=`, `in` or `between`")
        self._next += 1
        return _COMPARISONS[operator.text](field, self._value())

    def _field(self) -> str:
        token = self._token
        if token.kind not in (_Kind.WORD, _Kind.QUOTED):
            raise self.expected("the name of a field")
        try:
            parse_field(token.text)
        except BadFilter as error:
            raise _bad(token.position, error.message.rstrip(".")) from None
        self._next += 1
        return token.text

    def _list(self) -> list[str | int | float | bool]:
        self._demand(_Kind.MARK, "(", "`(`")
        values = [self._value()]
        while self._take(_Kind.MARK, ","):
            values.append(self._value())
        self._demand(_Kind.MARK, ")", "`,` or `)`")
        return values

    def _value(self) -> str | int | float | bool:
        token = self._token
        if token.kind not in (_Kind.WORD, _Kind.QUOTED):
            raise self.expected("a value")
        self._next += 1
        return token.text if token.kind is _Kind.QUOTED else _read_word(token.text)

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def sees(self, kind: _Kind, text: str = "") -> bool:
        return self._token.kind is kind and self._token.text == text

    def _take(self, kind: _Kind, text: str) -> bool:
        seen = self.sees(kind, text)
        self._next += seen
        return seen

    def _demand(self, kind: _Kind, text: str, expected: str) -> None:
        if not self._take(kind, text):
            raise self.expected(expected)

    def expected(self, what: str) -> BadFilter:
        """The error that says what should stand here instead of the next token."""
        token = self._token
        found = "the end" if token.kind is _Kind.END else f"`{token.text[:40]}`"
        return _bad(token.position, f"expected {what}, found {found}")


def _read_word(word: str) -> str | int | float | bool:
    if word.lower() in ("true", "false"):
        return word.lower() == "true"
    number = _NUMBER.fullmatch(word)
    if number is None:
        return word
    # Python refuses to read integers of thousands of digits; as floats they are infinite, which `check` explains.
    return float(word) if number["fraction"] or len(word) > 300 else int(word)
