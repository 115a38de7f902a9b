"""Names that try to lead out of a folder."""

from __future__ import annotations

from itertools import product

_UP = (
    "../",
    "..\\",
    "..%2f",
    "..%5c",
    "%2e%2e/",
    "%2e%2e%2f",
    "%252e%252e%252f",
    "....//",
    "..;/",
    "..%c0%af",
    "%c0%ae%c0%ae/",
    "\uff0e\uff0e/",
    "..\u2215",
    "./../",
    "x/../../",
)
_TARGETS = ("canary.txt", "etc/passwd", "base.db", "windows\\win.ini", "proc/self/environ")
_ABSOLUTE = (
    "/etc/passwd",
    "//etc/passwd",
    "/proc/self/environ",
    "C:\\canary.txt",
    "C:canary.txt",
    "\\\\host\\share\\canary.txt",
    "\\\\?\\C:\\canary.txt",
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "~root/canary.txt",
    "~/canary.txt",
    "$HOME/canary.txt",
    "%HOME%/canary.txt",
    "canary.txt/",
    "..",
    "../",
    ".",
    "./",
    "/",
    "\\",
    "CON",
    "NUL.txt",
    "COM1",
    "canary.txt::$DATA",
    "-rf",
    "--help",
    "a\u202etxt.exe",
    "я" * 300,
    " ",
    "|canary.txt",
    ">canary.txt",
    "{{config}}",
    "${canary}",
    "__init__.py",
    ".htaccess",
)

PATHS = tuple(
    dict.fromkeys(
        [up * depth + target for up, depth, target in product(_UP, (1, 3, 8), _TARGETS)] + [*_ABSOLUTE]
    )
)
