"""Words that are always written with a hyphen, so that a line which ends in it does not take it away."""

from __future__ import annotations

_PRONOUNS_TEXT = """
    что чего чему чем кто кого кому кем ком как где куда когда откуда отчего почему зачем сколько какой какая какое
    какие какого какому каким каком какую каких какими чей чья чьё чье чьи чего-то чьего чьей
"""
_PRONOUNS = frozenset(_PRONOUNS_TEXT.split())
_BEFORE_TAKI = frozenset(["всё", "все", "так", "опять", "прямо", "довольно", "верно"])
_ALWAYS_AFTER = frozenset(["либо", "нибудь"])
_ALWAYS_BEFORE = frozenset(["кое", "кой"])
_AFTER_PO = ("ски", "цки", "ому", "ему", "ьи")
_AFTER_IZ = frozenset(["за", "под"])
_ENGLISH_BEFORE = frozenset(["self", "well", "ex"])
_ENGLISH_AFTER_TEXT = (
    "known based oriented century term year rich friendly specific related driven aware hosted"
)
_ENGLISH_AFTER = frozenset(_ENGLISH_AFTER_TEXT.split())
_NOT_AFTER_SELF = ("ish", "less", "ed", "ing", "s")


def is_compound(first: str, rest: str) -> bool:
    """Whether two parts in small letters are one word with a hyphen: `что-либо`, `по-русски`, `self-hosted`."""
    return (_is_russian(first, rest) or rest in _ENGLISH_AFTER) or (
        first in _ENGLISH_BEFORE and not rest.startswith(_NOT_AFTER_SELF) and len(rest) > 3
    )


def _is_russian(first: str, rest: str) -> bool:
    if rest in _ALWAYS_AFTER or first in _ALWAYS_BEFORE:
        return True
    match first:
        case "по":
            return rest.endswith(_AFTER_PO)
        case "из":
            return rest in _AFTER_IZ
        case "во" | "в":
            return rest.endswith(("ых", "их"))
        case _:
            return (rest == "то" and first in _PRONOUNS) or (rest == "таки" and first in _BEFORE_TAKI)
