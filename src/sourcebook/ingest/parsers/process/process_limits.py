"""What a process that reads hostile files gives up before it reads the first one.

Memory, time, files to write, the network and other programs. What the platform cannot take away is left: on Linux all
of it can be, elsewhere Python itself still refuses sockets and programs.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from platform import machine

if sys.platform != "win32":
    import fcntl
    import resource

MEGABYTE = 1024 * 1024
_PEAK = re.compile(rb"^VmHWM:\s*(\d+) kB", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ParserLimits:
    """What one file may cost.

    `memory` counts everything that the process maps, so it bounds what is resident. `seconds` are those in which it
    computes; one that only waits is ended after four times as long. Reading pictures takes another program, whose time
    is counted by the clock.
    """

    memory: int = 512 * MEGABYTE
    seconds: float = 30.0
    characters: int = 50_000_000
    ocr_seconds: float = 600.0


def confine(limits: ParserLimits, *, programs: frozenset[str] = frozenset()) -> None:
    """Give up what parsing does not need. `programs` names the events of Python that may still start others."""
    _limit_resources(limits, has_programs=bool(programs))
    refused = _REFUSED_EVENTS - programs
    sys.addaudithook(lambda event, _: _refuse(event) if event in refused else None)
    if sys.platform == "linux":
        _filter_calls(("socket", "io_uring_setup") if programs else tuple(_CALLS))


def die_with_parent(lifeline: int) -> None:
    """Be killed when the other end of the pipe closes, whatever this process is doing then.

    Only the parent holds that end, so it closes when the parent dies, also by `kill -9`.
    """
    if sys.platform == "win32":
        return
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
    # The parent may have died before the signal was asked for: an open pipe has nothing to read, a closed one ends.
    with suppress(BlockingIOError):
        if not os.read(lifeline, 1):
            os._exit(1)


def limit_time(seconds: float) -> None:
    """Be killed after computing for this time, in the midst of C code too; 0 takes the limit away.

    Only time that the process itself takes counts: on a busy machine, good files wait longer than bad ones compute.
    """
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def peak_memory() -> int:
    """The most memory that was ever resident, in bytes, or 0 where nobody knows."""
    if sys.platform == "win32":
        return 0
    if sys.platform == "linux":
        # The other figure counts what the parent held when it started this process.
        peak = _PEAK.search(Path("/proc/self/status").read_bytes())
        return int(peak[1]) * 1024 if peak else 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _limit_resources(limits: ParserLimits, *, has_programs: bool) -> None:
    if sys.platform == "win32":
        return
    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_AS: limits.memory}
    wanted[resource.RLIMIT_FSIZE] = limits.memory if has_programs else 0
    for what, most in wanted.items():
        # Some platforms know a limit and refuse to set it.
        with suppress(ValueError, OSError):
            _, hard = resource.getrlimit(what)
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(what, (least, least))


# What Python says before it does these things. A hook that raises keeps it from doing them.
_REFUSED_EVENTS = frozenset(
    {
        "socket.__new__",
        "socket.connect",
        "socket.getaddrinfo",
        "subprocess.Popen",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.startfile",
        "os.system",
        "pty.spawn",
    }
)
STARTS_PROGRAMS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.exec", "os.fork"})


def _refuse(event: str) -> None:
    raise PermissionError(f"A parser may not do this: {event}.")


# Numbers of the calls by architecture. `io_uring` can open sockets without the call that does.
_CALLS = {
    "socket": {"x86_64": 41, "aarch64": 198},
    "io_uring_setup": {"x86_64": 425, "aarch64": 425},
    "execve": {"x86_64": 59, "aarch64": 221},
    "execveat": {"x86_64": 322, "aarch64": 281},
}
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_CALLS = 0x40000000

_SET_NO_NEW_PRIVILEGES, _SET_FILTER, _FILTER_MODE = 38, 22, 2
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_OFFSET, _ARCHITECTURE_OFFSET = 0, 4
_ALLOW, _DENY = 0x7FFF0000, 0x00050000 | 13  # the second fails the call with EACCES


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _filter_calls(names: tuple[str, ...]) -> None:
    """Let the kernel refuse these calls for good, to this process and to all that it starts."""
    architecture = machine()
    if architecture not in _ARCHITECTURES:
        return
    code = _filter_code(_ARCHITECTURES[architecture], [_CALLS[name][architecture] for name in names])
    program = _Program(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if libc.prctl(_SET_FILTER, _FILTER_MODE, ctypes.byref(program), 0, 0) != 0:
        # A kernel without filters may still give a process a network of its own, which leads nowhere.
        libc.unshare(_NEW_USER | _NEW_NETWORK)


def _filter_code(architecture: int, denied: list[int]) -> bytes:
    """Allow what this architecture calls by its own numbers, except the denied."""
    steps: list[tuple[int, int, int, int]] = [(_LOAD, 0, 0, _ARCHITECTURE_OFFSET)]
    # Jumps count the steps between; the last two steps are allow and deny.
    steps.append((_JUMP_IF_EQUAL, 0, len(denied) + 3, architecture))
    steps.append((_LOAD, 0, 0, _NUMBER_OFFSET))
    steps.append((_JUMP_IF_AT_LEAST, len(denied) + 1, 0, _X32_CALLS))
    for index, number in enumerate(denied):
        steps.append((_JUMP_IF_EQUAL, len(denied) - index, 0, number))
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _DENY)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
