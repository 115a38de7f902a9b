"""Words that say nothing about what a text is about.

The lists are short on purpose: each further word was once the only good word of somebody's question. Forms of "to be"
stand in them only where leaving them out was measured to do no harm; in Russian and Portuguese questions they tell a
definition from an event. Words are written as the analyser sees them: in lower case, with `е` for `ё`, cut at
apostrophes.
"""

from __future__ import annotations

_LISTS = {
    "en": """
        a an the
        and or but if than that
        of to in on at by for from with as into about
        i you he she it we they me him them my your his her its our their this these those
        am is are was were be been do does did has have had
        there what not so s t
    """,
    "ru": """
        и а но или же ли бы то
        в во на с со к ко о об от до из за по у при для
        я ты он она оно мы вы они его ее их мне это этот эта эти тот
        не ни как так
    """,
    "pt": """
        o a os as um uma
        e ou mas que se
        de do da dos das em no na nos nas por pelo pela para com ao aos à às
        eu ele ela eles elas seu sua seus suas este esta isso
        não
    """,
    "es": """
        el la los las un una lo
        y e o u pero que si
        de del en a al por para con
        yo él ella ellos ellas su sus se le les este esta esto eso
        es son ser fue está ha hay no
    """,
}
_STOP_WORDS = {language: frozenset(words.split()) for language, words in _LISTS.items()}

_ASKING = {
    "en": """
        what which who whom whose when where why how often
        could should would shall being having doing
        some such any each both while because
    """,
    "ru": """
        кто кого кому кем что чего чему чем где куда откуда когда почему зачем сколько часто чей чья чье чьи
        какой какая какое какие какого какому каком какую каким какими каких
    """,
    "pt": "qual quais quem quando onde como quanto quanta quantos quantas",
    "es": """
        qué cuál cuáles quién quiénes cuándo dónde cómo cuánto cuánta cuántos cuántas
        cual cuales quien quienes cuando donde como cuanto cuanta cuantos cuantas
    """,
    "de": "wann wer wen wem wessen wo wohin woher wie was warum wieso weshalb welche welcher welches welchen wieviel",
}
_ASKING_WORDS = {language: frozenset(words.split()) for language, words in _ASKING.items()}


def stop_words(language: str | None) -> frozenset[str]:
    """The stop words of a language; none for a language without a list."""
    return _STOP_WORDS.get(language or "", frozenset())


def asking_words(language: str | None) -> frozenset[str]:
    """Words that make a question of what is sought. A text may hold them, but not because it answers."""
    return _ASKING_WORDS.get(language or "", frozenset())
