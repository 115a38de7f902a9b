"""What a button says when it is pressed: at most 64 bytes, which anybody can send in any form.

A press names an action and its object, and proves nothing: who may do it is looked up when it is done.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum

from sourcebook.text.case_and_accents import normal_form

LONGEST = 64
LARGEST = 2**63 - 1


class Action(StrEnum):
    """What a button does. The letters are what stands in old messages: they are never given another meaning."""

    LANGUAGE = "l"
    CATEGORIES = "c"
    CATEGORY = "k"
    SUBCATEGORY = "s"
    EVERYTHING = "e"
    SOURCE = "q"
    PICTURE = "i"
    BUY_QUESTIONS = "b"
    BUY_TOKENS = "p"
    CALL_HUMAN = "h"
    TAKE_BACK = "t"
    APPROVE = "a"
    EDIT = "w"
    REJECT = "r"
    ANSWER = "n"
    KEEP = "g"
    NEXT = "m"
    FILE = "f"
    SIMILAR = "o"
    FORCE = "y"


@dataclass(frozen=True, slots=True)
class Press:
    """A button that was pressed: what it does, to which object, and a word more (a label, a language)."""

    action: Action
    number: int = 0
    word: str = ""


_WRITTEN = re.compile(r"([a-z])(?::(0|[1-9][0-9]{0,18})(?::([A-Za-z0-9_-]{1,40}))?)?", re.ASCII)


def encode(press: Press) -> str:
    """The text for the button. It is what `decode` understands, or this is a mistake in the program."""
    data = str(press.action)
    if press.number or press.word:
        data += f":{press.number}"
    if press.word:
        data += f":{press.word}"
    if decode(data) != press:
        raise ValueError(f"{press} does not fit a button")
    return data


def decode(data: object) -> Press | None:
    """The press that the text stands for, or None if it is not one of ours. Anything at all may be given."""
    if not isinstance(data, str) or len(data) > LONGEST:
        return None
    found = _WRITTEN.fullmatch(data)
    if found is None or found[1] not in _ACTIONS:
        return None
    number = int(found[2] or 0)
    return Press(Action(found[1]), number, found[3] or "") if number <= LARGEST else None


_ACTIONS = frozenset(action.value for action in Action)


def label_word(label: str) -> str:
    """A short word for a category or subcategory, the same however it is spelt; labels are too long for a button."""
    return hashlib.blake2b(normal_form(label).encode(), digest_size=8).hexdigest()
