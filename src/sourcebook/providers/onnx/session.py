"""Loading a model in the ONNX format, and its tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sourcebook.errors import ProviderMissing

if TYPE_CHECKING:
    from pathlib import Path

HINT = 'Run `pip install "sourcebook[onnx]"`.'
CPU = "CPUExecutionProvider"
_GRAPHICS = ("CUDAExecutionProvider", "ROCMExecutionProvider")


def open_session(weights: Path, *, threads: int = 1) -> Any:
    """A loaded model, on a graphics card if the runtime that is installed can use one."""
    try:
        import onnxruntime  # noqa: PLC0415 - heavy, and an extra
    except ImportError as error:
        raise ProviderMissing("Models in the ONNX format need `onnxruntime`.", hint=HINT) from error
    runtime = cast("Any", onnxruntime)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    usable = runtime.get_available_providers()
    chosen = [name for name in _GRAPHICS if name in usable]
    try:
        return runtime.InferenceSession(str(weights), options, providers=[*chosen, CPU])
    except Exception as error:  # the runtime's errors share no base class of their own
        raise ProviderMissing(f"{weights} cannot be loaded: {first_line(error)}") from error


def is_on_graphics_card(session: Any) -> bool:
    """Whether texts are better computed many at a time."""
    return session.get_providers()[0] != CPU


def load_tokenizer(path: Path) -> Any:
    """The tokenizer of a file in the format of the `tokenizers` library."""
    library = tokenizers_library()
    try:
        return library.Tokenizer.from_file(str(path))
    except Exception as error:  # what the library raises is a bare Exception
        raise ProviderMissing(f"{path} cannot be read: {first_line(error)}") from error


def tokenizers_library() -> Any:
    try:
        import tokenizers  # noqa: PLC0415 - heavy, and an extra
    except ImportError as error:
        raise ProviderMissing("This model needs `tokenizers`.", hint=HINT) from error
    return cast("Any", tokenizers)


def first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
