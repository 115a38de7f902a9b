"""Sentences that tell how to do something, and those around them that only lead there."""

from __future__ import annotations

import re
from functools import cache

from sourcebook.text.stems import shared_beginning
from sourcebook.text.vocabulary.word_lists import alternatives

_LIST = "told_way.txt"
_TELLS_ANOTHER_WAY = re.compile(
    r"\W*(?:(?:you|we|it|one) (?:can|could|may|might|is) (?:also|even|still)\b|also\b|alternatively|another way"
    r"|(?:вы |мы )?(?:также|ещё|еще) (?:вы |мы )?(?:можете|можно|могли)|(?:вы |мы )?(?:можете|можно"
    r"|могли бы) (?:также|ещё|еще)"
    r"|кроме того|(?:você |nós )?também|(?:você |nós )?(?:pode(?:ria)?|podemos) (?:também|ainda)|outra (?:forma"
    r"|maneira)"
    r"|também é possível|también|(?:usted )?(?:puede|podría) también|otra (?:forma|manera))",
    re.IGNORECASE,
)
_TELLS_CASE = re.compile(
    r"\W*(?:there (?:are|may be|might be|could be) (?:some |many |several |a few )?(?:cases|scenarios|situations"
    r"|times)"
    r"|let'?s (?:imagine|say|suppose|see|assume)|imagine|suppose|say you"
    r"|(?:(?:but|and|so) )?(?:in (?:some|many|several|certain|most|other) (?:cases|situations|scenarios)"
    r"|sometimes|often"
    r"|at times),? (?:you|we|it)|(?:you|we) (?:might|may|could) (?:want|need|wish|prefer|like)"
    r"|you (?:probably|(?:may|might) have|have (?:already )?(?:seen|read)|saw|already)"
    r"|(?:но |и )?(?:в (?:некоторых|ряде|отдельных|большинстве|других) (?:случа\w+|ситуаци\w+)|иногда|бывает|часто)"
    r"|(?:давайте )?(?:представ(?:им|ьте)|предполож(?:им|ите)|допустим)|есть (?:случаи|ситуации)"
    r"|(?:возможно|вероятно|скорее всего),? (?:вам|вы)|вам может (?:понадобиться|потребоваться)|вы (?:уже|наверняка)"
    r"|(?:mas |e )?(?:em (?:alguns|muitos|certos|outros) casos|às vezes|por vezes|algumas vezes)"
    r"|(?:vamos )?(?:imagin(?:e|ar|emos)|supo(?:nha|r|nhamos)|diga(?:mos)?)\b"
    r"|(?:há|existem) (?:alguns|algumas|vários|várias|muitos)? ?(?:casos|cenários|situações)"
    r"|(?:talvez )?você (?:pode(?:ria)?|talvez) (?:querer|precisar|queira|precise)|você (?:provavelmente|já)"
    r"|talvez (?:você )?(?:queira|precise)|(?:en algunos|en muchos|en ciertos) casos|a veces|(?:imagine|suponga"
    r"|digamos)\b"
    r"|(?:puede|podría) que (?:quiera|necesite))",
    re.IGNORECASE,
)

_FIRST_WORD = re.compile(r"[\W\d_]*([^\W\d_]+)")
_SHORTEST_BEGINNING = 4
_SHARED_PART = 0.6


@cache
def _names_way() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:\d[\d.]*\s+)?{alternatives(_LIST, 'names_way')}\b", re.IGNORECASE)


@cache
def _names_reason() -> re.Pattern[str]:
    return re.compile(rf"[\W\d_]*{alternatives(_LIST, 'names_reason')}\b", re.IGNORECASE)


@cache
def _tells_way() -> re.Pattern[str]:
    leads, tells = alternatives(_LIST, "leads"), alternatives(_LIST, "tells_way")
    # In Russian also an imperative: "добавьте".
    return re.compile(
        rf"\W*(?:{leads}[,\s]+){{0,2}}(?:{tells}|[а-яё]+(?:[йи]те|йтесь|итесь))\b", re.IGNORECASE
    )


def _is_form_of(word: str, verb: str) -> bool:
    shared = shared_beginning(word, verb)
    return word == verb or shared >= max(_SHORTEST_BEGINNING, _SHARED_PART * max(len(word), len(verb)))


def names_way(heading: str, verb: str | None = None) -> bool:
    """Whether a heading announces how something is done: "Use the middleware", "Создание токена".

    With a verb, one that begins with it, too: "Hash the passwords".
    """
    if _names_way().match(heading) is not None:
        return True
    first = _FIRST_WORD.match(heading) if verb else None
    return first is not None and verb is not None and _is_form_of(first[1].lower(), verb)


def names_reason(heading: str) -> bool:
    """Whether a heading asks why."""
    return _names_reason().match(heading) is not None


def tells_way(sentence: str) -> bool:
    """Whether a sentence begins by saying what to do: "Use …", "чтобы …", "você pode …"."""
    return _tells_way().match(sentence) is not None


def tells_another_way(sentence: str) -> bool:
    """Whether a sentence adds what else can be done: "You can also …"."""
    return _TELLS_ANOTHER_WAY.match(sentence) is not None


def tells_case(sentence: str) -> bool:
    """Whether a sentence only says when one may want to do something: "There are cases where …", "Let's imagine …"."""
    return _TELLS_CASE.match(sentence) is not None
