"""Numbers in running text, with the unit that each counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from sourcebook.text.case_and_accents import folded

# One sign or word of a number: digits in groups of three, or digits with one decimal mark.
_SPACE = "[ \u00a0\u2009\u202f]"
_NUMBER = re.compile(
    rf"""
    (?<![\w.,]) [-−]?
    (?: \d{{1,3}} (?: (?:{_SPACE}\d{{3}})+ (?:[.,]\d+)? | (?:,\d{{3}})+ (?:\.\d+)? | (?:\.\d{{3}})+ (?:,\d+)? )
      | \d+ (?:[.,:]\d+)* )
    (?![\d])
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_AFTER = re.compile(
    rf"{_SPACE}?(?P<sign>%|‰|°\s?[CFСФ]?|[$€£₽])|{_SPACE}?-?(?:por{_SPACE})?(?P<word>[^\W\d_]+[²³23]?\.?)"
)
_BEFORE = re.compile(r"(?P<sign>[$€£₽]|R\$|US\$)\s?$")
# Between the two ends of a range the unit stands once, at the end: "3–4 kg", "from 3 to 4 kg".
_RANGE = re.compile(rf"{_SPACE}?(?:[-–—…/]|\.\.|до|to|and|a|e|и|или|or|ou){_SPACE}?", re.IGNORECASE)

_UNITS = """
%: % процент процента процентов проценту процентом процентах percent pct cento ciento
mm: mm мм миллиметр миллиметра миллиметров millimetre millimetres millimeter millimeters milímetro milímetros
cm: cm см сантиметр сантиметра сантиметров сантиметрах сантиметрам centimetre centimetres centimeter centimeters
cm: centímetro centímetros
m: m м метр метра метров метрах метрам метре metre metres meter meters metro metros
km: km км километр километра километров километрах kilometre kilometres kilometer kilometers quilômetro quilômetros
km: quilómetro quilómetros kilómetro kilómetros
inch: inch inches дюйм дюйма дюймов polegada polegadas pulgada pulgadas
foot: foot feet ft фут фута футов pé pés pie pies
mile: mile miles миля мили миль milha milhas milla millas
mg: mg мг миллиграмм миллиграмма миллиграммов milligram milligrams miligrama miligramas miligramo miligramos
g: g г гр грамм грамма граммов gram grams gramme grammes grama gramas gramo gramos
kg: kg кг килограмм килограмма килограммов kilogram kilograms kilo kilos quilo quilos quilograma quilogramas
kg: kilogramo kilogramos
t: t т тонна тонны тонн ton tons tonne tonnes tonelada toneladas
ml: ml мл миллилитр миллилитра миллилитров millilitre millilitres milliliter milliliters mililitro mililitros
l: l л литр литра литров litre litres liter liters litro litros
m2: m2 m² м2 м²
m3: m3 m³ м3 м³
ha: ha га гектар гектара гектаров hectare hectares hectárea hectáreas
second: s sec second seconds секунда секунды секунд секунду segundo segundos
minute: min minute minutes мин минута минуты минут минуту minuto minutos
hour: h hr hour hours час часа часов часам hora horas
day: day days день дня дней сутки суток dia dias día días
week: week weeks неделя недели недель неделю неделям semana semanas
month: month months месяц месяца месяцев месяцам mês meses mes
year: year years год года лет году годах годы ano anos año años
century: century centuries век века веков século séculos siglo siglos
degree: ° °c °f °с градус градуса градусов градусах degree degrees grau graus celsius grado grados
dollar: $ us$ usd dollar dollars доллар доллара долларов dólar dólares
euro: € eur euro euros евро
pound: £ gbp pound pounds фунт фунта фунтов libra libras
rouble: ₽ руб рубль рубля рублей rub rouble roubles ruble rubles
real: r$ brl real reais
thousand: тыс тысяча тысячи тысяч thousand thousands mil
million: млн миллион миллиона миллионов million millions milhão milhões millón millones
billion: млрд миллиард миллиарда миллиардов billion billions bilhão bilhões
person: человек человека people person persons pessoa pessoas persona personas
"""

_SPELLED = """
2: два две двух двум двумя two dois duas
3: три трех трем тремя three três tres
4: четыре четырех четырем четырьмя four quatro cuatro
5: пять пяти пятью five cinco
6: шесть шести шестью six seis
7: семь семи семью seven sete siete
8: восемь восьми восемью восьмью eight oito ocho
9: девять девяти девятью nine nove nueve
10: десять десяти десятью ten dez diez
11: одиннадцать одиннадцати eleven onze
12: двенадцать двенадцати twelve doze doce
13: тринадцать тринадцати thirteen treze trece
14: четырнадцать четырнадцати fourteen catorze quatorze
15: пятнадцать пятнадцати fifteen quinze quince
16: шестнадцать шестнадцати sixteen dezesseis dezasseis dieciséis
17: семнадцать семнадцати seventeen dezessete dezassete diecisiete
18: восемнадцать восемнадцати eighteen dezoito dieciocho
19: девятнадцать девятнадцати nineteen dezenove dezanove diecinueve
20: двадцать двадцати twenty vinte veinte
30: тридцать тридцати thirty trinta treinta
40: сорок сорока forty quarenta cuarenta
50: пятьдесят пятидесяти fifty cinquenta cincuenta
60: шестьдесят шестидесяти sixty sessenta sesenta
70: семьдесят семидесяти seventy setenta
80: восемьдесят восьмидесяти eighty oitenta ochenta
90: девяносто ninety noventa
"""
# Number words that mean something else in another language.
_SPELLED_IN = {"es": {"dos": "2", "once": "11"}}
ANY_LANGUAGE = (None, *_SPELLED_IN)
"""In which languages the numbers of a text may differ: all others read it as None does."""
_ONES = {"one": 1, "first": 1, "second": 2, "third": 3}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in one form for all ways to write it, the known unit beside it if there is one, and its place."""

    value: str
    unit: str | None
    start: int
    end: int


def quantities(text: str, language: str | None = None) -> list[Quantity]:
    """The numbers of a text in their order, written in digits or, from two to ninety-nine, in words."""
    return list(_quantities(text, language))


@lru_cache(1024)
def _quantities(text: str, language: str | None) -> tuple[Quantity, ...]:
    """A sentence is compared with many quotes, and a quote with many sentences."""
    found = sorted([*_in_digits(text), *_in_words(text, language)], key=lambda found: found.start)
    return tuple(found)


def _in_digits(text: str) -> Iterator[Quantity]:
    found = list(_NUMBER.finditer(text))
    units = [_unit(text, match.start(), match.end()) for match in found]
    for number in range(len(found) - 2, -1, -1):
        # The first end of a range counts the same as the last.
        if units[number] is None and _RANGE.fullmatch(text, found[number].end(), found[number + 1].start()):
            units[number] = units[number + 1]
    for match, unit in zip(found, units, strict=True):
        yield Quantity(_value(match[0]), unit, match.start(), match.end())


def _in_words(text: str, language: str | None) -> Iterator[Quantity]:
    own = _SPELLED_IN.get(language or "", {})
    for match in _WORD.finditer(text):
        word = folded(match[0])
        value, length = (own[word], len(match[0])) if word in own else _spelled_value(word)
        if value is not None:
            end = match.start() + length
            yield Quantity(value, _unit(text, match.start(), end), match.start(), end)


def _spelled_value(word: str) -> tuple[str | None, int]:
    """What a word counts, and how many of its letters say so: all of "twenty-two", the first five of "three-year"."""
    spelled = _spelled()
    first, _, rest = word.partition("-")
    if word in spelled or not rest:
        return spelled.get(word), len(word)
    tens = spelled.get(first)
    ones = _ONES.get(rest) or int(spelled.get(rest, 0))
    if tens is not None and tens.endswith("0") and 0 < ones < 10:
        return str(int(tens) + ones), len(word)
    return tens, len(first)


def _unit(text: str, start: int, end: int) -> str | None:
    units = _units()
    if after := _AFTER.match(text, end):
        written = folded(after["sign"] or after["word"]).replace(" ", "").rstrip(".")
        if unit := units.get(written) or units.get(written.rstrip("²³23")):
            return unit
    if before := _BEFORE.search(text, max(0, start - 4), start):
        return units[folded(before["sign"])]
    return None


def _value(written: str) -> str:
    """The same for 1000, 1 000 and 1,000; for 2.5 and 2,5."""
    plain = re.sub(_SPACE, "", written).replace("−", "-")
    if re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"-?\d{1,3}(\.\d{3})+(,\d+)?", plain):
        plain = plain.replace(".", "").replace(",", ".")
    plain = plain.replace(",", ".")
    whole, mark, rest = plain.partition(".")
    if mark and rest.isdigit():
        rest = rest.rstrip("0")
        return f"{whole}.{rest}" if rest else whole
    return plain


@cache
def _units() -> dict[str, str]:
    return dict(_table(_UNITS))


@cache
def _spelled() -> dict[str, str]:
    return dict(_table(_SPELLED))


def _table(lines: str) -> Iterator[tuple[str, str]]:
    for line in lines.strip().splitlines():
        meaning, _, forms = line.partition(": ")
        for form in forms.split():
            yield folded(form), meaning
