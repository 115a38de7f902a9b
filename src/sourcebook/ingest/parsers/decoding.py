"""Bytes become text."""

from __future__ import annotations

import codecs
import re

from sourcebook.errors import BadText
from sourcebook.text.normal import storable

# The mark of UTF-32 begins with that of UTF-16, so it is looked for first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE_END = re.compile(r"\r\n?")


def decode(data: bytes) -> str:
    """The text of a file in UTF-8, or in the encoding that its byte order mark names, with `\\n` for line ends.

    Anything else is BadText: a guess would put wrong letters into the base.
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise BadText(
            f"The file is not {encoding.upper()} text: byte {len(mark) + error.start} cannot be read.",
            hint="Save it as UTF-8 and add it again.",
        ) from None
    if not storable(text):
        raise BadText("The file holds NUL characters, so it is probably not text.")
    return _LINE_END.sub("\n", text)
