"""An embedder, reranker or chat model failed."""

from __future__ import annotations

from sourcebook.errors.error_tree import ProviderError


class NoEmbedder(ProviderError):
    """The model that made the collection's vectors is not available here.

    Search with `--mode keyword`, supply your own vectors, or switch models with `sourcebook reindex --model M`.
    """

    code = "no_embedder"


class ProviderMissing(ProviderError):
    """A package or file that the model needs is missing.

    `docs/how-to/models.md` lists what each model needs.
    """

    code = "provider_missing"


class ProviderUnreachable(ProviderError):
    """The model's server could not be reached.

    Check that it is running and that its address is right (`sourcebook config show`). Keyword search still works.
    """

    code = "provider_unreachable"


class ProviderTimeout(ProviderError):
    """The model's server did not answer in time.

    Try again, or give it more time; for an embedder, raise `embedder_timeout`. Keyword search still works.
    """

    code = "provider_timeout"


class ProviderBusy(ProviderError):
    """The model's server is overloaded or failing, and retrying did not help.

    Try again later; finished work is kept. For an embedder, a smaller `embedder_batch` sends less at a time.
    """

    code = "provider_busy"


class ProviderRefused(ProviderError):
    """The model's server refused the request.

    Check the model's name and the API key. The server's own message is above.
    """

    code = "provider_refused"


class BadProviderAnswer(ProviderError):
    """The model's server gave an invalid answer, so none of it was used.

    Check that the address belongs to the right kind of server, and that the model makes embeddings.
    """

    code = "bad_provider_answer"


class DownloadFailed(ProviderError):
    """A model could not be downloaded.

    Run the command again: what was downloaded is kept, and it goes on from there.
    """

    code = "download_failed"
