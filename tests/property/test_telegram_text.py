"""What Telegram shows: nothing lost, nothing too long, no mark beside its words; and buttons that anybody forges."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from sourcebook.faces.telegram.messages.button_data import (
    LARGEST,
    LONGEST,
    Action,
    Press,
    decode,
    encode,
    label_word,
)
from sourcebook.faces.telegram.messages.message_length import MESSAGE_LIMIT, split
from sourcebook.faces.telegram.messages.rich_text import (
    RichText,
    StyledSpan,
    TextStyle,
    bold,
    clean,
    entities,
    from_markdown,
    joined,
    quote,
    units,
)

TEXTS = st.text(st.sampled_from("аБz1 .!\n\t😀—*`#_[]<>&\u202e\u0301"), max_size=300)


@st.composite
def rich_texts(draw: st.DrawFn) -> RichText:
    text = draw(TEXTS)
    places = st.integers(0, len(text))
    spans = draw(st.lists(st.tuples(st.sampled_from(TextStyle), places, places), max_size=5))
    return RichText(text, tuple(StyledSpan(mark, min(a, b), max(a, b)) for mark, a, b in spans))


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@given(rich_texts(), st.integers(1, 60))
def test_pieces_fit_and_hold_every_letter(rich: RichText, limit: int) -> None:
    limit = max(limit, 2)
    pieces = split(rich, limit)
    assert all(0 < utf16(piece.text) <= limit for piece in pieces)
    assert "".join("".join(piece.text for piece in pieces).split()) == "".join(rich.text.split())


@given(rich_texts(), st.integers(2, 60))
def test_a_mark_stays_over_its_words(rich: RichText, limit: int) -> None:
    """Every marked letter is marked in its piece, and no other: counted over all pieces, blanks aside."""
    for mark in TextStyle:
        before = "".join(letter for at, letter in enumerate(rich.text) if _is_marked(rich, mark, at))
        after = "".join(
            letter
            for piece in split(rich, limit)
            for at, letter in enumerate(piece.text)
            if _is_marked(piece, mark, at)
        )
        assert "".join(after.split()) == "".join(before.split())


def _is_marked(rich: RichText, mark: TextStyle, at: int) -> bool:
    return any(span.mark is mark and span.start <= at < span.end for span in rich.spans)


@given(rich_texts())
def test_entities_lie_inside_the_text_as_telegram_counts_it(rich: RichText) -> None:
    encoded = rich.text.encode("utf-16-le")
    for _, offset, length in entities(rich):
        shown = encoded[2 * offset : 2 * (offset + length)].decode("utf-16-le")
        assert length > 0
        assert shown == shown.strip()
        assert utf16(shown) == length


@given(TEXTS)
def test_units_are_those_of_utf16(text: str) -> None:
    assert units(text) == utf16(text)


@given(TEXTS)
def test_markdown_loses_only_its_marks(text: str) -> None:
    shown = from_markdown(text)
    # The language that a fence names is a mark too.
    left, right = (re.sub(r"(?m)^```[\w+-]*$", "", each) for each in (shown.text, text))
    assert re.sub(r"[*#`\s]", "", left) == re.sub(r"[*#`\s]", "", right)


@given(st.text(max_size=300))
def test_a_name_is_one_short_line(name: str) -> None:
    line = clean(name, 50)
    assert len(line) <= 50
    assert not re.search(r"[\n\r\x00\u202e\u2028]", line)


def test_markdown_becomes_marks() -> None:
    shown = from_markdown("## Когда\nВ **конце осени** [1], `pH` 4, 2*3*4")
    assert shown.text == "Когда\nВ конце осени [1], pH 4, 2*3*4"
    marked = {(span.mark, shown.text[span.start : span.end]) for span in shown.spans}
    assert marked == {(TextStyle.BOLD, "Когда"), (TextStyle.BOLD, "конце осени"), (TextStyle.CODE, "pH")}


def test_a_long_answer_is_cut_between_paragraphs_then_sentences() -> None:
    paragraph = "Это предложение. " * 100
    pieces = split(joined([paragraph] * 4))
    assert [len(piece.text) for piece in pieces] == [3401, 3401]
    sentences = split(RichText("Это предложение. " * 400))
    assert all(piece.text.endswith(".") for piece in sentences)
    assert all(units(piece.text) <= MESSAGE_LIMIT for piece in sentences)


def test_parts_keep_their_marks_when_they_are_joined() -> None:
    whole = joined([bold("😀 a"), "b", RichText(), quote("c")])
    assert whole.text == "😀 a\n\nb\n\nc"
    assert list(entities(whole)) == [(TextStyle.BOLD, 0, 4), (TextStyle.QUOTE, 9, 1)]


PRESSES = st.builds(
    Press,
    st.sampled_from(Action),
    st.integers(0, LARGEST),
    st.text("abcdefXYZ0123456789_-", max_size=40),
)


@given(PRESSES)
def test_a_button_says_what_it_was_made_for(press: Press) -> None:
    data = encode(press)
    assert len(data.encode()) <= LONGEST
    assert decode(data) == press


@given(
    st.one_of(
        st.text(max_size=80),
        st.from_regex(r"[a-z](:[0-9]{0,25}){0,3}(:\S{0,50})?", fullmatch=True),
        st.none(),
        st.integers(),
        st.binary(max_size=10),
    )
)
def test_whatever_a_button_says_is_understood_or_nothing(data: object) -> None:
    press = decode(data)
    assert press is None or (encode(press) and 0 <= press.number <= LARGEST)


@given(st.text(max_size=200))
def test_a_label_of_any_length_fits_a_button(label: str) -> None:
    assert encode(Press(Action.SUBCATEGORY, word=label_word(label)))
    assert label_word(label.upper().lower()) == label_word(label.upper())


def test_a_listing_is_marked_whole_and_nothing_in_it_is_markup() -> None:
    shown = from_markdown("Use:\n\n```console\n$ echo **not bold** `x`\n\n$ exit\n```\n[1]")
    assert shown.text == "Use:\n\n$ echo **not bold** `x`\n\n$ exit\n[1]"
    assert [(span.mark, shown.text[span.start : span.end]) for span in shown.spans] == [
        (TextStyle.LISTING, "$ echo **not bold** `x`\n\n$ exit")
    ]
