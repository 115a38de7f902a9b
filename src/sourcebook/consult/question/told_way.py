"""Sentences that tell how to do something, and those around them that only lead there."""

from __future__ import annotations

import re

from sourcebook.text.stems import shared_beginning

_NAMES_WAY = re.compile(
    r"\W*(?:\d[\d.]*\s+)?(?:us(?:e|ing|age)|creat(?:e|ing)|add(?:ing)?|import(?:ing)?|install(?:ing|ation)?"
    r"|configur(?:e|ing)|set(?:ting)?(?: up)?|declar(?:e|ing)|defin(?:e|ing)|how (?:to|do)|run(?:ning)?|enabl(?:e"
    r"|ing)"
    r"|call(?:ing)?|steps|writ(?:e|ing)|mak(?:e|ing)|return(?:ing)?"
    r"|использ(?:ование|уйте|уем|овать)|созда(?:ние|йте|дим|ть)|добав(?:ление|ьте|ить)|подключ(?:ение|ите|ить)"
    r"|настро(?:йка|йте|ить)|установ(?:ка|ите|ить)|импорт(?:ируйте|ировать)?|объяв(?:ление|ите|ить)|как|применение"
    r"|запуск|шаги|верн(?:ите|уть)|возврат"
    r"|us(?:e|ar|ando|o)|utiliz(?:e|ar|ando|ação)|cri(?:e|ar|ando|ação)|adicion(?:e|ar|ando)|import(?:e|ar|ando)"
    r"|instal(?:e|ar|ando|ação)|configur(?:e|ar|ando|ação)|declar(?:e|ar|ando)|defin(?:a|ir|indo)|como|passos"
    r"|retorn(?:e|ar|ando)|cómo|crear|creación|añadir|instalar|configurar|instalación|configuración)\b",
    re.IGNORECASE,
)
_TELLS_WAY = re.compile(
    r"\W*(?:(?:and|then|so|now|и|затем|потом|e|então|depois)[,\s]+){0,2}(?:(?:to|you (?:can|could|should|may|just"
    r"|need|must|have to)|use|add|create|import|declare|set|pass|call|run"
    r"|click|open|go to|choose|select|press|install|write|make|put|start|define|return|raise|first|then|in order to"
    r"|one way|чтобы|для (?:того|этого)|вы можете|можно|нужно|необходимо|следует|достаточно"
    r"|[а-яё]+(?:[йи]те|йтесь|итесь)|para|você (?:pode|precisa|deve)|pode|importe|crie|declare|adicione"
    r"|é possível|basta|passe|defina|execute|clique|abra|escolha|puede|utilice|es posible|haga|abra|elija)\b)",
    re.IGNORECASE,
)
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
_NAMES_REASON = re.compile(
    r"[\W\d_]*(?:why|reasons?|motivation|почему|зачем|причин\w+|мотивация|por ?qu[eêé]|motiv\w+|razões|razones)\b",
    re.IGNORECASE,
)
_SHORTEST_BEGINNING = 4
_SHARED_PART = 0.6


def _is_form_of(word: str, verb: str) -> bool:
    shared = shared_beginning(word, verb)
    return word == verb or shared >= max(_SHORTEST_BEGINNING, _SHARED_PART * max(len(word), len(verb)))


def names_way(heading: str, verb: str | None = None) -> bool:
    """Whether a heading announces how something is done: "Use the middleware", "Создание токена".

    With a verb, one that begins with it, too: "Hash the passwords".
    """
    if _NAMES_WAY.match(heading) is not None:
        return True
    first = _FIRST_WORD.match(heading) if verb else None
    return first is not None and verb is not None and _is_form_of(first[1].lower(), verb)


def names_reason(heading: str) -> bool:
    """Whether a heading asks why."""
    return _NAMES_REASON.match(heading) is not None


def tells_way(sentence: str) -> bool:
    """Whether a sentence begins by saying what to do: "Use …", "чтобы …", "você pode …"."""
    return _TELLS_WAY.match(sentence) is not None


def tells_another_way(sentence: str) -> bool:
    """Whether a sentence adds what else can be done: "You can also …"."""
    return _TELLS_ANOTHER_WAY.match(sentence) is not None


def tells_case(sentence: str) -> bool:
    """Whether a sentence only says when one may want to do something: "There are cases where …", "Let's imagine …"."""
    return _TELLS_CASE.match(sentence) is not None
