"""The buttons under messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from aiogram.types import InlineKeyboardButton, InlineKeyboardMarkup

from sourcebook.faces.telegram.messages.button_data import Action, Press, encode, label_word
from sourcebook.faces.telegram.messages.rich_text import clean
from sourcebook.locale import NAMES
from sourcebook.model.moderation import DraftKind

if TYPE_CHECKING:
    from sourcebook.locale import Texts
    from sourcebook.model.chat import Citation
    from sourcebook.model.curation import SimilarQuestion
    from sourcebook.model.moderation import Draft

MOST_LABELS = 60
"""More buttons than this nobody reads."""
NO_LABEL = "none"
_LONGEST_LABEL = 60
_SOURCES_A_ROW = 8
_LABELS_A_ROW = 2
_PICTURES_A_ROW = 2
_MOST_BINDINGS = 5


def rows(*lines: Sequence[InlineKeyboardButton]) -> InlineKeyboardMarkup | None:
    """The lines that have buttons; None if none has."""
    full = [list(line) for line in lines if line]
    return InlineKeyboardMarkup(inline_keyboard=full) if full else None


def button(text: str, action: Action, number: int = 0, word: str = "") -> InlineKeyboardButton:
    return InlineKeyboardButton(
        text=clean(text, _LONGEST_LABEL) or "…", callback_data=encode(Press(action, number, word))
    )


def languages() -> InlineKeyboardMarkup | None:
    return rows([button(name, Action.LANGUAGE, word=code) for code, name in NAMES.items()])


def categories(texts: Texts, labels: Iterable[str], loose: Iterable[str]) -> InlineKeyboardMarkup | None:
    """Categories, and subcategories that belong to none."""
    buttons = [button(shown(label), Action.CATEGORY, word=label_word(label)) for label in labels]
    buttons += [button(shown(label), Action.SUBCATEGORY, word=label_word(label)) for label in loose]
    return rows(*_in_rows(buttons), [button(texts("everything"), Action.EVERYTHING)])


def subcategories(texts: Texts, labels: Iterable[str]) -> InlineKeyboardMarkup | None:
    buttons = [button(shown(label), Action.SUBCATEGORY, word=label_word(label)) for label in labels]
    last = [button(texts("everything"), Action.EVERYTHING), button(texts("back"), Action.CATEGORIES)]
    return rows(*_in_rows(buttons), last)


def for_file(texts: Texts, labels: Iterable[str]) -> InlineKeyboardMarkup | None:
    buttons = [button(shown(label), Action.FILE, word=label_word(label)) for label in labels]
    return rows(*_in_rows(buttons), [button(texts("file_general"), Action.FILE, word=NO_LABEL)])


def sources(numbers: Sequence[int], place: str) -> list[list[InlineKeyboardButton]]:
    """A button for each source of an answer; `place` is the end of the key of its question."""
    buttons = [button(f"[{number}]", Action.SOURCE, number, place) for number in numbers]
    return [buttons[at : at + _SOURCES_A_ROW] for at in range(0, len(buttons), _SOURCES_A_ROW)]


def similar(offered: Iterable[SimilarQuestion], place: str) -> list[list[InlineKeyboardButton]]:
    """A button for each approved question that may be meant, in a row of its own."""
    return [[button(f"≈ {one.question}", Action.SIMILAR, one.id, place)] for one in offered]


def pictures(texts: Texts, citations: Iterable[Citation], place: str) -> list[list[InlineKeyboardButton]]:
    """A button for each page that is a source, which shows the page as it looks."""
    pages = {(one.collection_id, one.document_id, one.page): one for one in reversed(list(citations))}
    buttons = [
        button(
            texts("page_picture", number=one.number, page=one.page),
            Action.PICTURE,
            one.number,
            place,
        )
        for one in sorted(pages.values(), key=lambda one: one.number)
        if one.page is not None
    ]
    return [buttons[at : at + _PICTURES_A_ROW] for at in range(0, len(buttons), _PICTURES_A_ROW)]


def bindings(texts: Texts, draft_id: int, names: Mapping[int, str]) -> list[list[InlineKeyboardButton]]:
    """A button for each passage that an answer in other words may come from, in a row of its own."""
    return [
        [button(texts("source_is", name=names[number]), Action.KEEP, draft_id, str(number))]
        for number in sorted(names)[:_MOST_BINDINGS]
    ]


def draft(texts: Texts, item: Draft) -> InlineKeyboardMarkup | None:
    """What can be decided about a draft."""
    first = [
        button(texts("approve"), Action.APPROVE, item.id),
        button(texts("edit"), Action.EDIT, item.id),
    ]
    if item.kind is DraftKind.DECLINED:
        first = [button(texts("answer"), Action.ANSWER, item.id)]
    last = [button(texts("reject"), Action.REJECT, item.id), button(texts("next"), Action.NEXT, item.id)]
    return rows(first, last)


def shown(label: str) -> str:
    """A label as people write it: folders have `_` for a space."""
    words = label.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def chosen(labels: Iterable[str], word: str) -> str | None:
    """The label that a button stands for, if it is still one of these."""
    known: Mapping[str, str] = {label_word(label): label for label in labels}
    return known.get(word)


def _in_rows(buttons: Sequence[InlineKeyboardButton]) -> list[Sequence[InlineKeyboardButton]]:
    some = buttons[:MOST_LABELS]
    return [some[at : at + _LABELS_A_ROW] for at in range(0, len(some), _LABELS_A_ROW)]
