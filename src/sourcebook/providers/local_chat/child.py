"""The program of the child process: loads weights and answers on a loopback port until its parent is gone.

It is run as a file and imports nothing of Sourcebook: the only thing in its memory is the model. The first line of its
input says what to load; its only line of output says where it listens, or what went wrong.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def main() -> None:
    # What the library prints must not be taken for the answer.
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    wanted: dict[str, Any] = json.loads(sys.stdin.readline())
    try:
        server = _started(wanted)
    except Exception as error:  # whatever it is, the parent is to know
        answer.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")
        answer.flush()
        os._exit(1)
    answer.write(json.dumps({"address": str(server.listening_address)}) + "\n")
    answer.flush()
    # The parent holds the other end for as long as it lives, however it ends.
    sys.stdin.read()
    os._exit(0)


def _started(wanted: dict[str, Any]) -> Any:
    import xllamacpp  # noqa: PLC0415 - an extra; the parent is told if it is missing

    library: Any = xllamacpp
    parameters = library.CommonParams()
    parameters.model.path = wanted["weights"]
    parameters.n_ctx = wanted["context"]
    # One answer at a time: a second one beside it would halve the context and slow both.
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = wanted["threads"]
    parameters.cpuparams_batch.n_threads = wanted["threads"]
    # Between two batches a request that nobody waits for is given up.
    parameters.n_batch = wanted["batch"]
    parameters.n_ubatch = wanted["batch"]
    # The beginning of the last prompt stays in its context and is not read again; further ones would take memory.
    parameters.cache_prompt = True
    parameters.cache_ram_mib = 0
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [wanted["key"]]
    parameters.endpoint_slots = False
    parameters.endpoint_props = False
    parameters.endpoint_metrics = False
    parameters.ui = False
    parameters.offline = True
    parameters.verbosity = -1
    return library.Server(parameters)


if __name__ == "__main__":
    main()
