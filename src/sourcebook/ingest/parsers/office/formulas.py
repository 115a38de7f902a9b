"""Formulas of office documents as people would type them: MathML in OpenDocument, a language of its own in Office."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.ingest.parsers.office.formula_line import Word, accented, fraction, line, root, scripts, table

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.xml_element import Element

ReadOther: TypeAlias = "Callable[[Element], str]"
_MATH = "{http://www.w3.org/1998/Math/MathML}"
OFFICE_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
OFFICE_FORMULA = f"{OFFICE_MATH}oMath"
_ANNOTATIONS = ("annotation", "annotation-xml")
_INVISIBLE = dict.fromkeys(map(ord, "\u2061\u2062\u2063\u2064"))
_BELOW, _ABOVE = "\u0332", "\u0305"
_DEEPEST = 60


def formula_text(math: Element) -> str:
    """The signs of a formula in one line: `E=mc^2`."""
    return " ".join(_MathMl().read(math).split())


def office_formula_text(formula: Element, read_other: ReadOther | None = None) -> str:
    """The same of a formula of Office or a part of one. `read_other` reads what is no part of the language."""
    return _Office(read_other).read(formula)


class _Office:
    """One formula of Office."""

    def __init__(self, read_other: ReadOther | None) -> None:
        self._read_other = read_other
        self._depth = 0
        self._writers: dict[str, Callable[[Element], str]] = {
            "t": lambda element: element.text or "",
            "f": self._fraction,
            "d": self._brackets,
            "rad": lambda e: root(self._part(e, "e"), self._part(e, "deg")),
            "nary": self._operator,
            "acc": lambda e: self._accent(e, _said(e, "acc", "chr", "\u0302")),
            "bar": lambda e: self._accent(e, _ABOVE if _said(e, "bar", "pos", "bot") == "top" else _BELOW),
            "func": lambda e: line([Word(self._part(e, "fName")), self._part(e, "e")]),
            "limLow": lambda e: Word(scripts(self._part(e, "e"), self._part(e, "lim"), "")),
            "limUpp": lambda e: Word(scripts(self._part(e, "e"), "", self._part(e, "lim"))),
            "m": lambda e: table(self._parts(row, "e") for row in e if row.tag == f"{OFFICE_MATH}mr"),
            "eqArr": lambda e: "; ".join(self._parts(e, "e")),
            "oMathPara": lambda e: " ".join(self._parts(e, "oMath")),
            **dict.fromkeys(("sSub", "sSup", "sSubSup"), self._scripts),
        }

    def read(self, element: Element) -> str:
        tag = str(element.tag)
        if self._read_other is not None and not tag.startswith(OFFICE_MATH):
            return self._read_other(element)
        name = tag.rpartition("}")[2]
        if name.endswith("Pr") or self._depth == _DEEPEST:
            return ""
        self._depth += 1
        written = self._writers.get(name, self._row)(element)
        self._depth -= 1
        return written

    def _row(self, element: Element) -> str:
        return line(self.read(child) for child in element)

    def _parts(self, element: Element, name: str) -> list[str]:
        return [self.read(child) for child in element if child.tag == f"{OFFICE_MATH}{name}"]

    def _part(self, element: Element, name: str) -> str:
        return next(iter(self._parts(element, name)), "")

    def _fraction(self, element: Element) -> str:
        above, below = self._part(element, "num"), self._part(element, "den")
        # Without a line between them they are a column, as of a binomial.
        return f"{above}; {below}" if _said(element, "f", "type", "") == "noBar" else fraction(above, below)

    def _brackets(self, element: Element) -> str:
        opened, between, closed = (
            _said(element, "d", name, usual)
            for name, usual in (("begChr", "("), ("sepChr", "|"), ("endChr", ")"))
        )
        return f"{opened}{between.join(self._parts(element, 'e'))}{closed}"

    def _operator(self, element: Element) -> str:
        sign = _said(element, "nary", "chr", "∫")
        limits = scripts(sign, self._part(element, "sub"), self._part(element, "sup"))
        return line([Word(limits), self._part(element, "e")])

    def _accent(self, element: Element, accent: str) -> str:
        inner = self._part(element, "e")
        written = accented(inner, accent)
        return scripts(inner, "", accent) if written is None else written

    def _scripts(self, element: Element) -> str:
        return scripts(self._part(element, "e"), self._part(element, "sub"), self._part(element, "sup"))


def _said(element: Element, name: str, key: str, usual: str) -> str:
    """A property of an element of Office. One that is given without a value is empty."""
    found = element.find(f"{OFFICE_MATH}{name}Pr/{OFFICE_MATH}{key}")
    return usual if found is None else found.get(f"{OFFICE_MATH}val", "")


class _MathMl:
    """One formula in MathML."""

    def __init__(self) -> None:
        self._depth = 0
        self._writers: dict[str, Callable[[Element], str]] = {
            "mi": _name,
            "mtext": _words,
            "ms": _words,
            "mfrac": self._fraction,
            "msqrt": lambda e: root(self._row(e), ""),
            "mroot": self._root,
            "msub": self._lowered,
            "msup": self._raised,
            "msubsup": self._both,
            "munder": self._below,
            "mover": self._above,
            "munderover": self._both,
            "mfenced": self._brackets,
            "mtable": lambda e: table([self.read(cell) for cell in row] for row in e),
        }

    def read(self, element: Element) -> str:
        name = str(element.tag).removeprefix(_MATH)
        if name in _ANNOTATIONS or self._depth == _DEEPEST:
            return ""
        self._depth += 1
        written = self._writers.get(name, self._row)(element)
        self._depth -= 1
        return written

    def _row(self, element: Element) -> str:
        return line(self._row_parts(element))

    def _row_parts(self, element: Element) -> Iterator[str]:
        yield _signs(element.text)
        for child in element:
            yield self.read(child)
            yield _signs(child.tail)

    def _three(self, element: Element) -> tuple[str, str, str]:
        """The first three parts, empty where there are fewer."""
        parts = [*(self.read(child) for child in element), "", "", ""]
        return parts[0], parts[1], parts[2]

    def _fraction(self, element: Element) -> str:
        above, below, _ = self._three(element)
        return (
            f"{above}; {below}"
            if element.get("linethickness", "") in ("0", "0pt")
            else fraction(above, below)
        )

    def _root(self, element: Element) -> str:
        inner, degree, _ = self._three(element)
        return root(inner, degree)

    def _lowered(self, element: Element) -> str:
        base, below, _ = self._three(element)
        return scripts(base, below, "")

    def _both(self, element: Element) -> str:
        return Word(scripts(*self._three(element)))

    def _raised(self, element: Element) -> str:
        base, above, _ = self._three(element)
        return scripts(base, "", above)

    def _above(self, element: Element) -> str:
        base, above, _ = self._three(element)
        written = accented(base, above)
        return Word(scripts(base, "", above)) if written is None else written

    def _below(self, element: Element) -> str:
        base, below, _ = self._three(element)
        if below in ("_", "¯", "‾", _BELOW):
            return accented(base, _BELOW) or ""
        return Word(scripts(base, below, ""))

    def _brackets(self, element: Element) -> str:
        between = element.get("separators", ",").strip()[:1]
        inner = between.join(self.read(child) for child in element)
        return f"{element.get('open', '(')}{inner}{element.get('close', ')')}"


def _signs(text: str | None) -> str:
    return "".join((text or "").translate(_INVISIBLE).split())


def _name(element: Element) -> str:
    """A name: one of several letters, such as that of a function, is a word."""
    name = _signs(element.text)
    return Word(name) if len(name) > 1 else name


def _words(element: Element) -> str:
    return Word(" ".join((element.text or "").split()))
