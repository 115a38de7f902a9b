"""The part of pypdfium2 that is used here, with its types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ctypes import Array, c_ubyte
from typing import Any, Protocol, cast

import pypdfium2 as pdfium
import pypdfium2.raw

from sourcebook.errors import DamagedFile, EncryptedFile

__all__ = ["PdfiumError", "raw"]

PdfiumError = pdfium.PdfiumError
# The functions of the C library, which come without types.
raw: Any = pypdfium2.raw
_PASSWORD_CODES = (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)


class PdfTextPage(Protocol):
    """The letters of a page; `raw` is its handle in the library."""

    @property
    def raw(self) -> object: ...

    def count_chars(self) -> int: ...

    def close(self) -> None: ...


class PdfBitmap(Protocol):
    """The dots of a page, line by line, each line `stride` bytes long."""

    @property
    def buffer(self) -> Array[c_ubyte]: ...

    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...

    @property
    def stride(self) -> int: ...

    def to_pil(self) -> object: ...

    def close(self) -> None: ...


class PdfPage(Protocol):
    def get_width(self) -> float: ...

    def get_height(self) -> float: ...

    def get_textpage(self) -> PdfTextPage: ...

    def get_objects(self, filter: Sequence[int], max_depth: int) -> Iterator[object]: ...

    def render(self, *, scale: float, grayscale: bool = False, rev_byteorder: bool = False) -> PdfBitmap: ...

    def close(self) -> None: ...


class PdfDestination(Protocol):
    def get_index(self) -> int | None: ...

    def get_view(self) -> tuple[int, Sequence[float]]: ...


class PdfBookmark(Protocol):
    @property
    def level(self) -> int: ...

    def get_title(self) -> str: ...

    def get_dest(self) -> PdfDestination | None: ...


class PdfDocument(Protocol):
    def __len__(self) -> int: ...

    def get_page(self, index: int) -> PdfPage: ...

    def get_toc(self, max_depth: int) -> Iterator[PdfBookmark]: ...

    def get_metadata_value(self, key: str) -> str: ...

    def close(self) -> None: ...


def open_document(data: bytes) -> PdfDocument:
    """The document, which is to be closed. What cannot be opened is encrypted or damaged."""
    try:
        return cast("PdfDocument", pdfium.PdfDocument(data))
    except PdfiumError as error:
        code = cast("int | None", getattr(error, "err_code", None))
        # The library may still give the code of an earlier file, so the file must agree.
        if code in _PASSWORD_CODES and b"/Encrypt" in data:
            raise EncryptedFile from None
        raise DamagedFile("The file is not an intact PDF.") from None
