"""Finds facts in the wrong place: all words of the sentence are in the quote, but it says something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from sourcebook.consult.support.alignment import Alignment, AlignmentGap, Kind, Token

_LONGEST_GAP = 6
"""A gap with at most so many words on each side is compared word by word."""
_ALIKE_ENOUGH = 0.5
"""Below this share of words in the same order, the positions of words tell nothing."""
_NEAR = 3
_JOINING = frozenset({"and", "or", "и", "или", "e", "ou", "y", "o", "u"})
_FACTS = (Kind.NUMBER, Kind.NAME)


def has_exchanged_facts(found: Alignment) -> bool:
    """Whether the sentence has a fact of the quote in the place of another.

    That is a known number or name where the quote has another one, or two words that have changed places, unless "and"
    joins them.
    """
    if found.share < _ALIKE_ENOUGH:
        return False
    gaps = list(_without_joined(found))
    return any(
        _is_in_place_of_another(gap, found) or _passes_over_another(gap, found) for gap in gaps
    ) or any(_change_places(one, other, found) for one, other in combinations(gaps, 2))


def _without_joined(found: Alignment) -> Iterator[AlignmentGap]:
    """The gaps, without neighbours that have changed places around an "and"."""
    joined: set[AlignmentGap] = set()
    for one, other in pairwise(found.gaps):
        between = range(one.mine.stop, other.mine.start)
        if all(found.here[i].word in _JOINING for i in between) and _change_places(one, other, found):
            joined |= {one, other}
    return (gap for gap in found.gaps if gap not in joined)


def _change_places(one: AlignmentGap, other: AlignmentGap, found: Alignment) -> bool:
    """Whether each gap has in the sentence a word that the quote has in the other gap."""
    if not one.is_short(_LONGEST_GAP) or not other.is_short(_LONGEST_GAP):
        return False
    here = [{found.here[i].stem for i in gap.mine if found.here[i].is_content} for gap in (one, other)]
    there = [{found.there[j].stem for j in gap.theirs if found.there[j].is_content} for gap in (one, other)]
    return not here[0].isdisjoint(there[1]) and not here[1].isdisjoint(there[0])


def _is_in_place_of_another(gap: AlignmentGap, found: Alignment) -> bool:
    if not gap.is_short(_LONGEST_GAP):
        return False
    for kind in _FACTS:
        mine = [found.here[i] for i in gap.mine if found.here[i].kind is kind]
        theirs = [found.there[j] for j in gap.theirs if found.there[j].kind is kind]
        strange = [t for t in mine if not _is_among(t, theirs) and _is_among(t, found.known)]
        missed = [token for token in theirs if not _is_among(token, mine)]
        if strange and missed:
            return True
    return False


def _passes_over_another(gap: AlignmentGap, found: Alignment) -> bool:
    """Whether the sentence takes a fact from a later sentence of the quote, skipping one of the same kind.

    "Built in 1979" from "Built in 2000. It was closed in 1979": the words before the fact are the same, but the fact is
    not the next one. Within one sentence, skipping may only shorten a list.
    """
    if gap.mine or not gap.theirs:
        return False
    skipped = [found.there[j] for j in gap.theirs]
    before, after = gap.mine.start - 1, gap.mine.start
    behind = found.there[gap.theirs.stop] if gap.theirs.stop < len(found.there) else None
    crosses = any(token.opens for token in (*skipped[1:], *([behind] if behind else ())))
    if before < 0 or after >= len(found.here) or not crosses:
        return False
    one, other = found.here[before], found.here[after]
    return (_is_another(other, skipped[:_NEAR]) and not one.is_fact) or (
        _is_another(one, skipped[-_NEAR:]) and not other.is_fact
    )


def _is_another(token: Token, near: Sequence[Token]) -> bool:
    alike = [other for other in near if other.kind is token.kind]
    return token.is_fact and bool(alike) and not _is_among(token, alike)


def _is_among(token: Token, others: Sequence[Token]) -> bool:
    return any(token.is_like(other) for other in others)
