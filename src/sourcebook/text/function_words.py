"""The small words of a language, which tell what a short question is in however many foreign names it holds."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from sourcebook.text.case_and_accents import folded, without_accents

# The lists after the Spanish one only guard: their languages share small words with the first four.
_LISTS = {
    "en": """
        the what which who whom whose when where why how is are was were does did do can could should would must will
        have has had of with and or my your our you we it this that these those there from for in into about not
        a an as at by on to be been between than if comment
    """,
    "ru": """
        что чего чему чем кто кого кому кем как какой какая какое какие какую каком каким каких какого где куда откуда
        когда почему зачем отчего сколько ли или и в во на с со к ко о об от до из за по у при для без между не ни
        это этот эта эти есть можно нужно надо если а но же бы чтобы мне меня я мы вы он она они его ее их такое
    """,
    "pt": """
        o os a as um uma que qual quais quem quando onde como quanto quanta quantos quantas por para porque com sem
        e é são ser está há em no na nos nas do da dos das de ao aos à às pelo pela não meu minha se ou entre mais
        posso pode devo faço faz fazer tem isso este esta eu você custa foi era fica uso serve outro outros
    """,
    "es": """
        el la los las un una que qué cuál cuáles quién quiénes quien cuándo cuando dónde donde cómo como cuánto cuánta
        cuántos cuántas por para porque con sin y es son ser está están hay en del al de no mi mis se más entre
        puedo puede debo hago hace hacer tiene eso este esta yo usted cuesta fue lo le sirve
    """,
    "de": """
        der die das den dem des ein eine einen und oder wie was wer wo wann warum welche ist sind kann mit von zu für
        in im nicht es ich wir sie hat haben war will an so
    """,
    "fr": """
        le la les un une des du de et ou que qui quoi quel quelle quels quelles quand comment pourquoi combien est
        sont dans en avec pour sans sur par pas ne ce cette je vous nous il elle a à au aux se entre y
    """,
    "it": """
        il lo la i gli le un una di del della dei delle e che chi come quando dove perché quanto quanti quale quali
        è sono con per senza su in nel nella non si mi ho ha a da al tra
    """,
    "nl": """
        de het een en of is zijn wat wie waar wanneer hoe waarom welke met van voor in op aan niet ik je we dat die
        dit was om te
    """,
    "uk": """
        що чого чим хто кого кому як який яка яке які де куди звідки коли чому навіщо скільки чи або і й в у на з із зі
        до від за по при для без між не ні це цей ця ці є можна треба якщо а але ж би щоб мені я ми ви він вона вони
    """,
    "bg": """
        как какво кой коя кое кои къде кога защо колко е са се на в във с със от до за по при без не и или да ли че ще
    """,
}
_WORDS = {language: frozenset(forms.split()) for language, forms in _LISTS.items()}
LISTED = frozenset(_WORDS)
_LANGUAGES_OF = {
    word: tuple(language for language, forms in _WORDS.items() if word in forms)
    for word in frozenset[str]().union(*_WORDS.values())
}

_QUOTED = re.compile(r"«[^«»]*»|“[^“”]*”|„[^„“”]*[“”]|(?<!\w)\"[^\"]*\"(?!\w)|(?<!\w)'[^']*'(?!\w)")
_MAY_QUOTE = re.compile("[«»“”„\"']")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d\w*")
_SPANISH = re.compile("[¿¡]")
_FIRST_COUNTS = 2
_MANY = 3
_MANY_QUESTIONS = 2048


def prose_of(question: str) -> list[str]:
    """The words of a short text that are no names, no code and no quotation, folded; the first word is among them.

    A name is a word with a capital or a digit anywhere but at the beginning of the text, or with capitals inside.
    """
    return list(_prose_of(_QUOTED.sub(" ", question), is_first=True))


def _is_name(word: str, *, is_first: bool) -> bool:
    if word[0].isalpha() and word.islower():
        # Most words are so, and nothing more needs to be looked at.
        return False
    if word[0].isdigit() or any(letter.isupper() for letter in word[1:]):
        return True
    return word[0].isupper() and not is_first


def languages_of_prose(question: str) -> list[str]:
    """The language whose small words a short text is made with; several if it has as many of each, or none."""
    return _told_by(prose_of(question), is_told=_SPANISH.search(question) is not None)


def languages_of_both(one: str, other: str) -> list[str]:
    """The same for two questions as if they were one text, for one that is compared with many."""
    lowered = other[:1].lower() + other[1:]
    if _MAY_QUOTE.search(one) or _MAY_QUOTE.search(other) or not _WORD.search(one):
        # A quotation may begin in the one and end in the other.
        return languages_of_prose(f"{one} {lowered}")
    is_told = any(_SPANISH.search(text) is not None for text in (one, other))
    return _told_by([*_prose_of(one, is_first=True), *_prose_of(lowered, is_first=False)], is_told=is_told)


@lru_cache(_MANY_QUESTIONS)
def _prose_of(unquoted: str, *, is_first: bool) -> tuple[str, ...]:
    found = enumerate(_WORD.findall(unquoted))
    return tuple(
        folded(word) for place, word in found if not _is_name(word, is_first=is_first and place == 0)
    )


def _told_by(prose: list[str], *, is_told: bool) -> list[str]:
    found: Counter[str] = Counter()
    for place, word in enumerate(prose):
        for language in _LANGUAGES_OF.get(word, ()):
            found[language] += _FIRST_COUNTS if place == 0 else 1
    if is_told:
        found["es"] += _FIRST_COUNTS
    most = max(found.values(), default=0)
    best = [language for language, hits in found.items() if hits == most]
    if len(best) > 1 or most >= _MANY or is_told:
        return best
    return best if most > 1 and _has_word_of_its_own(best[0], prose) else []


def is_made_with(language: str, question: str) -> bool:
    """Whether half of the prose or more is small words of this language, some of them its own."""
    prose = prose_of(question)
    hits = sum(word in _WORDS[language] for word in prose)
    return hits >= _MANY and 2 * hits >= len(prose) and _has_word_of_its_own(language, prose)


def is_told_apart(language: str, other: str, question: str) -> bool:
    """Whether a text has a small word of a language that the other one lacks, also if typed without accents."""
    own, others = (_WORDS.get(each, frozenset[str]()) for each in (language, other))
    typed = others | {without_accents(word) for word in others}
    return any(word in own and word not in typed for word in prose_of(question))


def _has_word_of_its_own(language: str, prose: list[str]) -> bool:
    """Whether some word is of this language alone: languages without a list share those of their neighbours."""
    return any(word in _WORDS[language] and len(_LANGUAGES_OF[word]) == 1 for word in prose)
