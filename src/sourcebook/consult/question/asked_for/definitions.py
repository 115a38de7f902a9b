"""Questions what something is, and the sentences that say it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_DEFINITION = re.compile(
    r"^\W*(?:(?:what|who) (?:is|are|was|were)(?: an?| the)?|what does|define|meaning of"
    r"|что (?:такое|значит|означает|за)|кто так\w+|(?:o )?que (?:é|são|significa|quer dizer)(?: [oa]s?| uma?)?"
    r"|qué (?:es|son|significa|quiere decir)(?: el| l[ao]s?| una?)?)"
    r"\s+(?P<term>[^?]+?)(?: mean| do| означает| significa)?\s*\??\s*$",
    re.IGNORECASE,
)
_LONGEST_TERM = 4
_SAYS_WHAT = (
    r"\W{0,4}(?:\s*\([^)]*\))?\s*(?:(?:—|–|-)\s|[:,]\s+(?:(?:which|que) (?:is|are|é|são|es|son) )?(?:an?|uma?|una?)\s"
    r"|(?:is|are|was|means|stands for|refers to|denotes|does|tells|makes|allows)\b"
    r"|(?:это|является|означает|обозначает|называ\w+)\b|(?:é|são|significa|refere-se|consiste|serve)\b)"
    r"(?!\s*(?::|(?:not|не|não|no)\b))"
)
_ARTICLE = r"(?:the|an?|[oa]s?|uma?|el|l[ao]s?|una?)"
_IS_DEFINED = (
    r"\W{0,4}(?:\([^)]*\)\W{0,3})?\s*(?:(?:in|в|во|em|n[oa]|en)\s+(?:\w+\s+){1,4}?)?"
    r"(?:(?:—|–)\s|(?:is|are|was|were)\s+(?:an?|the|one of)\b"
    r"|(?:means|stands for|refers to)\b"
    r"|(?:[-–—]\s*)?(?:это|является|означает)\b|(?:é|são|era)\s+(?:uma?|[oa]s?)\b|(?:significa|refere-se|consiste)\b"
    r"|(?:es|son|era)\s+(?:una?|el|l[ao]s?)\b)(?!\s*(?:это\s+)?(?:not|не|não|no)\b)"
)
_FURTHER = r"(?: (?:(?-i:[A-ZА-ЯЁ])[\w/]*|\([^()]*\))){0,2}"
"""What may stand behind a term: "Debian GNU/Linux", "Representational State Transfer (REST)"."""
_NOT_AFTER_PREPOSITION = (
    r"(?<!\b[вскоу] )(?<!\b(?:of|in|to|by|on|at|em|no|na|de|do|da|en|на|из|от|до|за) )"
    r"(?<!\b(?:for|com|por|del|con|для|над|при|под|без) )(?<!\b(?:into|with|from|para) )"
)
_JOINS_WORDS = r"(?:(?:of|and|the|for|to|in|d[aeo]s?|e|y|del|и|в|из)\W+)?"
_LONGEST_ACRONYM = 8
_CALLED = (
    r"\b(?:call(?:ed|s)?|known as|named|назы\w+|именуем\w+|chama\w*|denomina\w*|conhecid\w+ como)\b[^.]{0,40}"
)


@dataclass(frozen=True)
class AskedDefinition:
    """The definition of a term, as sentences may put it."""

    term: str

    def opens(self, sentence: str) -> bool:
        """Whether a sentence begins with it: "A swan is a bird"."""
        return self._opening.match(sentence) is not None

    def is_in(self, sentence: str) -> bool:
        """Whether it is anywhere in a sentence, even as "called" and the term, or as what an acronym stands for."""
        return self._anywhere.search(sentence) is not None

    @cached_property
    def _opening(self) -> re.Pattern[str]:
        term = rf"\W{{0,3}}{_stem_of(self.term)}{_FURTHER}"
        return re.compile(rf"^\W*(?:{_ARTICLE}\s+)?{term}{_IS_DEFINED}", re.IGNORECASE)

    @cached_property
    def _anywhere(self) -> re.Pattern[str]:
        stem = _stem_of(self.term)
        said = rf"(?:^|\W){_NOT_AFTER_PREPOSITION}{stem}{_SAYS_WHAT}|^\W*{stem}{_FURTHER}{_SAYS_WHAT}|{_CALLED}{stem}"
        return re.compile("|".join([said, *_written_out(self.term)]), re.IGNORECASE)


def asked_definition(question: str) -> AskedDefinition | None:
    """The definition that a question asks for; None if it asks for none, or for that of too long a term."""
    asked = _DEFINITION.search(question.strip())
    return AskedDefinition(asked["term"]) if asked and len(asked["term"].split()) <= _LONGEST_TERM else None


def _written_out(term: str) -> list[str]:
    """The patterns of an acronym beside its words: "FTBFS (Fails To Build From Source)", or the other way round."""
    letters = re.fullmatch(rf"\W*(?P<acronym>[^\W\d_]{{2,{_LONGEST_ACRONYM}}})\W*", term)
    if letters is None:
        return []
    first, *others = letters["acronym"]
    # A letter begins a word, or is a capital within one: "HyperText".
    further = [rf"[^\W\d_]*?(?:\W+{_JOINS_WORDS}{letter}|(?-i:{letter.upper()}))" for letter in others]
    written = rf"\b(?=[^\W\d_]+\W+[^\W\d_]){first}{''.join(further)}[^\W\d_]*"
    acronym = rf"\b{letters['acronym']}\b"
    return [rf"{acronym}\W{{1,4}}(?:(?:or|или|ou|o)\W+)?{written}", rf"{written}\W{{0,3}}[(,]\W*{acronym}"]


def _stem_of(term: str) -> str:
    """The pattern of a term with any endings."""
    return r"\W+".join(
        re.escape(word[: max(4, len(word) - 2)]) + r"\w{0,4}" for word in re.findall(r"\w+", term)
    )
