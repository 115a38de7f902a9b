"""An embedder, reranker or chat model failed."""

from __future__ import annotations

from sourcebook.errors.branches import ProviderError


class NoEmbedder(ProviderError):
    """The collection's vectors were made by a model that is not available here.

    Search it with `--mode keyword`, or give vectors of your own; `sourcebook reindex --model M` changes the model.
    """

    code = "no_embedder"


class ProviderMissing(ProviderError):
    """What the model needs is not installed, or not where the settings say.

    `docs/how-to/models.md` names the packages and files that each model needs.
    """

    code = "provider_missing"


class ProviderUnreachable(ProviderError):
    """The server of the model could not be reached.

    Check that it runs and that its address is right; `sourcebook config show` prints it. Keyword search goes on.
    """

    code = "provider_unreachable"


class ProviderTimeout(ProviderError):
    """The server of the model did not answer in time.

    Try again, or give it more time; for an embedder that is `embedder_timeout`. Keyword search goes on.
    """

    code = "provider_timeout"


class ProviderBusy(ProviderError):
    """The server of the model is overloaded or failing, and stayed so when it was asked again.

    Try again later; what was finished is kept. For an embedder, a smaller `embedder_batch` asks for less at once.
    """

    code = "provider_busy"


class ProviderRefused(ProviderError):
    """The server of the model refused the request.

    Check the name of the model and the API key; the server's own words are above.
    """

    code = "provider_refused"


class BadProviderAnswer(ProviderError):
    """The server of the model gave an answer that cannot be right, so nothing of it was used.

    Check that the address is that of the right kind of server, and that the model makes embeddings.
    """

    code = "bad_provider_answer"
