"""Finds changes of meaning: opposites, other degrees, lost hedges, an added or missing denial."""

from __future__ import annotations

from collections.abc import Sequence

from sourcebook.consult.support.alignment import Alignment, AlignmentGap, Kind, Token
from sourcebook.text.vocabulary.degrees_and_hedges import Degree, degrees, hedges
from sourcebook.text.vocabulary.opposites import are_opposite

_SHORT = 4
"""A gap with at most so many words on each side is taken for a replacement."""
_COPY = 0.8
"""From this share of words in the same order on, a sentence is a copy with changes, so what it lacks counts."""
_ALIKE_ENOUGH = 0.5
_REACH = 2
"""A negation denies so many of the words after it."""
_RIVALS = {
    ("quantity", "all"): ("some", "few", "none"),
    ("quantity", "most"): ("few", "none"),
    ("quantity", "some"): ("all", "none"),
    ("quantity", "few"): ("all", "most"),
    ("quantity", "none"): ("all", "most", "some"),
    ("bound", "least"): ("most", "under"),
    ("bound", "most"): ("least", "over"),
    ("bound", "over"): ("under", "most"),
    ("bound", "under"): ("over", "least"),
}
"""Degrees that contradict each other wherever they are in the sentence."""


def says_the_opposite(found: Alignment, language: str | None) -> bool:
    """Whether a word replaces its opposite, or the quote has only the opposite of a word. "Not rich" may be "poor"."""
    for gap in found.gaps:
        if gap.is_short(_SHORT) and any(
            _are_opposite(i, j, found, language) for i in gap.mine for j in gap.theirs
        ):
            return True
    if found.share < _ALIKE_ENOUGH:
        return False
    own, held = {t.stem for t in found.here}, {t.stem for t in found.there}
    new = [i for i, t in enumerate(found.here) if t.kind is Kind.WORD and t.stem not in held]
    left_over = [j for j, t in enumerate(found.there) if t.kind is Kind.WORD and t.stem not in own]
    return any(_are_opposite(i, j, found, language) for i in new for j in left_over)


def _are_opposite(i: int, j: int, found: Alignment, language: str | None) -> bool:
    one, other = found.here[i], found.there[j]
    if one.stem == other.stem or not are_opposite(one.word, other.word, language):
        return False
    return _is_denied(i, found.here) == _is_denied(j, found.there)


def _is_denied(place: int, tokens: Sequence[Token]) -> bool:
    return any(token.denies for token in tokens[max(0, place - _REACH) : place])


def says_another_degree(found: Alignment, language: str | None) -> bool:
    """Whether the sentence has another degree: "all" for "some", "at least" for "at most", "may" for "must"."""
    mine = degrees([token.word for token in found.here], language)
    theirs = degrees([token.word for token in found.there], language)
    if any(_has_other_degree(gap, mine, theirs) for gap in found.gaps if gap.is_short(_SHORT)):
        return True
    if found.share < _ALIKE_ENOUGH:
        return False
    said, known = set(mine.values()), set(theirs.values())
    rivals = {(d.scale, name) for d in said - known for name in _RIVALS.get((d.scale, d.name), ())}
    return any((d.scale, d.name) in rivals for d in known - said)


def _has_other_degree(gap: AlignmentGap, mine: dict[int, Degree], theirs: dict[int, Degree]) -> bool:
    own = {mine[i] for i in gap.mine if i in mine}
    held = {theirs[j] for j in gap.theirs if j in theirs}
    return any(one.scale == other.scale and one != other for one in own - held for other in held - own)


def has_lost_a_hedge(found: Alignment, language: str | None) -> bool:
    """Whether a sentence that is otherwise a copy leaves out a hedge such as "may"."""
    if found.share < _COPY or hedges([token.word for token in found.here], language):
        return False
    lost = hedges([token.word for token in found.there], language)
    return any(j in lost for gap in _inner_gaps(found) if gap.is_short(_SHORT) for j in gap.theirs)


def denies_in_place(found: Alignment) -> bool:
    """Whether one of both has a negation, and little else, between words that are the same."""
    if found.share < _ALIKE_ENOUGH:
        return False
    return any(_denies_one_side(gap, found) for gap in _inner_gaps(found))


def _denies_one_side(gap: AlignmentGap, found: Alignment) -> bool:
    mine = [found.here[i] for i in gap.mine]
    theirs = [found.there[j] for j in gap.theirs]
    if any(t.denies for t in mine) == any(t.denies for t in theirs):
        return False
    return all(t.denies or not t.is_content for t in (*mine, *theirs))


def _inner_gaps(found: Alignment) -> list[AlignmentGap]:
    """The gaps between words that are the same."""
    return [
        gap
        for gap in found.gaps
        if gap.mine.start > 0
        and gap.theirs.start > 0
        and gap.mine.stop < len(found.here)
        and gap.theirs.stop < len(found.there)
    ]
