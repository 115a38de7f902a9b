"""Dates and times of a sheet as its cells show them."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

from sourcebook.ingest.parsers.office.format_codes import Part, PartKind, Section

_FIRST_DAY = datetime(1899, 12, 30)  # noqa: DTZ001 - a sheet knows no zones
_FIRST_DAY_1904 = datetime(1904, 1, 1)  # noqa: DTZ001
_MOST_DAYS = 2_958_466
_SECONDS = {"h": 3600, "m": 60, "s": 1}
_SHORT, _LONG = 3, 4
# By the last two digits of the number that Windows gives to a language.
_MONTHS = {
    "09": "January February March April May June July August September October November December",
    "19": "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "16": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "0a": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "07": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "0c": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
}
_OF_MONTH = {
    "19": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
"""The names as they stand behind the number of a day."""
_DAYS = {
    "09": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "19": "понедельник вторник среда четверг пятница суббота воскресенье",
    "16": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "0a": "lunes martes miércoles jueves viernes sábado domingo",
    "07": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "0c": "lundi mardi mercredi jeudi vendredi samedi dimanche",
}
_SHORT_DAYS = {"19": "Пн Вт Ср Чт Пт Сб Вс", "07": "Mo Di Mi Do Fr Sa So"}
_ENGLISH = "09"


def iso_moment(number: float, *, from_1904: bool) -> str | None:
    """A date as ISO text, with its time if it has one; without a date, only the time."""
    moment = _moment(number, from_1904=from_1904)
    if moment is None:
        return None
    time = moment.strftime("%H:%M:%S" if moment.second else "%H:%M")
    if number < 1:
        return time
    return moment.date().isoformat() + (f" {time}" if moment.time() != datetime.min.time() else "")


def shown_moment(number: float, section: Section, *, from_1904: bool) -> str | None:
    """A moment as a section of a code shows it, but with all digits of the year. None if it is no date."""
    if section.has(PartKind.PASSED):
        return _passed(number, section)
    moment = _moment(number, from_1904=from_1904)
    if moment is None:
        return None
    names = _Names(section)
    is_minute = _minutes(section)
    pieces = (
        names.shown(part, moment, is_minute=index in is_minute) for index, part in enumerate(section.parts)
    )
    return " ".join("".join(pieces).split())


def _moment(number: float, *, from_1904: bool) -> datetime | None:
    if not 0 <= number < _MOST_DAYS:
        return None
    first = _FIRST_DAY_1904 if from_1904 else _FIRST_DAY
    try:
        return first + timedelta(seconds=round(number * 86_400))
    except OverflowError:
        # The last moment of the year 9999, rounded up, or a day after it.
        return None


def _minutes(section: Section) -> set[int]:
    """Where an `m` stands for minutes: behind hours or before seconds."""
    moments = [(at, part.text[0].lower()) for at, part in enumerate(section.parts) if part.kind in _TIMES]
    found: set[int] = set()
    for (at, first), (after, second) in pairwise(moments):
        found |= {after} if (first, second) == ("h", "m") else set()
        found |= {at} if (first, second) == ("m", "s") else set()
    return found


_TIMES = (PartKind.MOMENT, PartKind.PASSED)


class _Names:
    """What the parts of one code show."""

    def __init__(self, section: Section) -> None:
        language = section.language[-2:].lower()
        self._language = language if language in _MONTHS else _ENGLISH
        self._has_half = section.has(PartKind.HALF)
        days = [
            part
            for part in section.parts
            if part.kind is PartKind.MOMENT and part.text.lower() in ("d", "dd")
        ]
        self._months = (_OF_MONTH if days else {}).get(self._language, _MONTHS[self._language]).split()

    def shown(self, part: Part, moment: datetime, *, is_minute: bool) -> str:
        if part.kind is PartKind.HALF:
            return "AM" if moment.hour < 12 else "PM"
        if part.kind is not PartKind.MOMENT:
            # Fractions of seconds are left out with the point before them.
            return part.text if part.kind is PartKind.LITERAL or part.text in "/-.:, " else ""
        letter, length = part.text[0].lower(), len(part.text)
        match letter:
            case "y":
                return f"{moment.year:04}"
            case "m":
                return _digits(moment.minute, length) if is_minute else self._month(moment.month, length)
            case "d":
                return self._day(moment, length)
            case "h":
                return _digits((moment.hour - 1) % 12 + 1 if self._has_half else moment.hour, length)
            case _:
                return _digits(moment.second, length)

    def _month(self, number: int, length: int) -> str:
        if length < _SHORT:
            return _digits(number, length)
        name = self._months[number - 1]
        return name if length >= _LONG else name[:3]

    def _day(self, moment: datetime, length: int) -> str:
        if length < _SHORT:
            return _digits(moment.day, length)
        if length >= _LONG:
            return _DAYS[self._language].split()[moment.weekday()]
        short = _SHORT_DAYS.get(self._language)
        return (
            short.split()[moment.weekday()] if short else _DAYS[self._language].split()[moment.weekday()][:3]
        )


def _passed(number: float, section: Section) -> str | None:
    """A length of time: hours may be more than a day has."""
    if not 0 <= number < _MOST_DAYS:
        return None
    left = round(number * 86_400)
    shown = ""
    for part in section.parts:
        if part.kind in _TIMES and part.text[0].lower() in _SECONDS:
            count, left = divmod(left, _SECONDS[part.text[0].lower()])
            shown += _digits(count, len(part.text))
        elif part.kind is PartKind.LITERAL or part.text in ":.- ":
            shown += part.text
    return " ".join(shown.rstrip(".").split())


def _digits(number: int, length: int) -> str:
    return f"{number:02}" if length > 1 else str(number)
