"""Recordings become text on any server that answers OpenAI's `/audio/transcriptions`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from sourcebook.errors import BadProviderAnswer, ProviderRefused, ProviderTimeout, ProviderUnreachable
from sourcebook.ingest.parsers.text.subtitles import Cue

if TYPE_CHECKING:
    from sourcebook.providers.model_server_address import Address

OPENAI_URL = "https://api.openai.com/v1"
_NO_KEY = "none"
_MOST_PIECES = 200_000
_HINT = "Check `transcription_model`, `transcription_base_url` and `transcription_api_key`."


class OpenAITranscriber:
    """Sends a recording to a server, and gets what is said in it, piece by piece with its time."""

    def __init__(self, model: str, address: Address, seconds: float) -> None:
        import openai  # noqa: PLC0415 - loading it takes a while

        self._model = model
        self._address = address
        self._openai = openai
        self._client = openai.AsyncOpenAI(
            base_url=address.plain_url,
            api_key=address.api_key or _NO_KEY,
            default_headers=address.headers,
            timeout=seconds,
            max_retries=2,
        )

    async def transcribe(self, data: bytes, name: str) -> list[Cue]:
        """The pieces in their order. A server that knows no times gives one piece."""
        try:
            answer: Any = await self._client.audio.transcriptions.create(
                file=(name, data), model=self._model, response_format="verbose_json"
            )
        except self._openai.APITimeoutError:
            raise ProviderTimeout("The transcription server takes too long.", hint=_HINT) from None
        except self._openai.APIConnectionError as error:
            said = self._address.without_secrets(str(error))
            raise ProviderUnreachable(
                f"The transcription server is unreachable: {said}", hint=_HINT
            ) from None
        except self._openai.APIStatusError as error:
            said = self._address.without_secrets(error.message)
            raise ProviderRefused(f"The transcription server refused: {said}", hint=_HINT) from None
        except (self._openai.APIError, ValueError):
            # The library checks the shape of an answer before anybody else can.
            raise BadProviderAnswer(
                "The answer of the transcription server cannot be read.", hint=_HINT
            ) from None
        return list(_cues(answer.model_dump(warnings=False) if hasattr(answer, "model_dump") else answer))

    async def close(self) -> None:
        await self._client.close()


def _cues(answer: object) -> Iterator[Cue]:
    said = cast("dict[str, object]", answer) if isinstance(answer, dict) else {}
    pieces = said.get("segments")
    if isinstance(pieces, list) and pieces:
        for piece in cast("list[object]", pieces)[:_MOST_PIECES]:
            yield _cue(piece)
    elif isinstance(text := said.get("text"), str):
        yield Cue(0.0, 0.0, " ".join(text.split()))
    else:
        raise BadProviderAnswer("The answer of the transcription server has no text.", hint=_HINT)


def _cue(piece: object) -> Cue:
    match piece:
        case {"start": int() | float() as start, "end": int() | float() as end, "text": str(text)}:
            if math.isfinite(start) and math.isfinite(end) and 0 <= start < 10_000_000:
                return Cue(float(start), float(end), " ".join(text.split()))
        case _:
            pass
    raise BadProviderAnswer(
        "The answer of the transcription server has a piece without time or text.", hint=_HINT
    )
