"""Every command: where its function is, and its first sentence of help.

Only the command that is called is loaded. The sentences stand here, too, so that `--help` can list the commands
without loading any; a test compares them with the functions' own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Commands: TypeAlias = Mapping[str, tuple[str, str]]
"""By name: `module:function` in `commands`, and the first sentence of its help."""

COMMANDS: Commands = {
    "add": ("documents.add:add", "Add files and folders, or bring the base up to date with them."),
    "search": ("asking.search:search", "Find the passages that best match a question."),
    "ask": ("asking.ask:ask", "Answer a question from the documents with checked citations, or decline."),
    "chat": ("asking.chat:chat", "Ask several questions in a conversation, one per line."),
    "check": (
        "review.check:check",
        "Check approved answers against a folder of documents, before a change is published.",
    ),
    "serve": (
        "serving.serve:serve",
        "Run the server: the page, the HTTP API and the OpenAI-compatible endpoint, until Ctrl-C.",
    ),
    "mcp": ("serving.mcp:mcp", "Serve one MCP client over stdin and stdout, until it disconnects."),
    "bot": ("serving.bot:bot", "Run the Telegram bot until Ctrl-C."),
    "demo": ("serving.demo:demo", "Ask the sample library, and see an approved answer go stale."),
    "doctor": ("upkeep.doctor:doctor", "Check the base."),
    "reindex": (
        "upkeep.reindex:reindex",
        "Rebuild words and vectors from the stored text, or switch a collection to another embedding model.",
    ),
    "backup": (
        "upkeep.backup:backup",
        "Back up the whole base and its uploads to one file, while others keep using it.",
    ),
    "restore": ("upkeep.restore:restore", "Restore the base from a backup, after verifying it."),
    "copy": ("upkeep.copy:copy", "Copy a base, vectors included, to a file or a server."),
    "calibrate": (
        "models.calibrate:calibrate",
        "Measure how often questions are answered, declined or given a curated answer, and suggest better thresholds.",
    ),
    "eval": (
        "models.eval:evaluate",
        "Measure how well documents are found: nDCG, recall and MRR, and how long a search takes.",
    ),
    "export": (
        "upkeep.export:export",
        "Write the base as a bundle: embeddings.jsonl, documents.jsonl, curated.jsonl and manifest.json.",
    ),
    "import": (
        "upkeep.import_:import_bundle",
        "Import a bundle written by `export`, an embeddings.jsonl, or another program's base.",
    ),
}

GROUPS: Mapping[str, tuple[str, Commands]] = {
    "documents": (
        "The documents in the base.",
        {
            "list": ("documents.documents:list_documents", "List the documents of a collection."),
            "show": (
                "documents.documents:show",
                "Show what the base knows about a document, and the beginning of its text.",
            ),
            "hide": ("documents.documents:hide", "Hide documents from searches without removing them."),
            "unhide": ("documents.documents:unhide", "Make hidden documents searchable again."),
            "remove": ("documents.documents:remove", "Remove documents from the base."),
        },
    ),
    "collections": (
        "Sets of documents, each with its own embedding model.",
        {
            "list": ("documents.collections:list_collections", "List the collections of the base."),
            "create": ("documents.collections:create", "Create a collection for your own vectors."),
            "remove": ("documents.collections:remove", "Remove a collection and everything in it."),
        },
    ),
    "sessions": (
        "Your conversations.",
        {
            "list": ("asking.sessions:list_sessions", "List your conversations, newest first."),
            "show": ("asking.sessions:show", "Show a conversation."),
            "rename": ("asking.sessions:rename", "Rename a conversation."),
            "remove": ("asking.sessions:remove", "Remove a conversation and its messages."),
            "export": (
                "asking.sessions:export",
                "Write a conversation as Markdown or JSON, with its sources.",
            ),
        },
    ),
    "kb": (
        "Curated answers, approved by a person and preferred by `ask`.",
        {
            "list": ("review.kb:list_entries", "List the curated answers."),
            "add": (
                "review.kb:add",
                "Add a curated answer, which comes first whenever its question is asked.",
            ),
            "show": (
                "review.kb:show",
                "Show a curated answer: its sources, its other wordings, and what has changed.",
            ),
            "also": ("review.kb:also", "Add another wording of a curated answer's question."),
            "wordings": (
                "review.kb:wordings",
                "List other wordings of curated questions that askers confirmed and no expert has decided on.",
            ),
            "accept": (
                "review.kb:accept",
                "Accept a wording that askers confirmed: whoever asks in these words gets the answer.",
            ),
            "reject": ("review.kb:reject", "Reject a wording that asks something else."),
            "edit": ("review.kb:edit", "Propose a change to a curated answer."),
            "remove": ("review.kb:remove", "Remove a curated answer."),
            "export": (
                "review.kb_files:export",
                "Write the curated answers to Markdown files, one each, to keep beside the documents.",
            ),
            "import": ("review.kb_files:import_", "Bring a folder of answers into the base, as approved."),
        },
    ),
    "moderate": (
        "The review queue: answers to approve, questions for the expert, stale curated answers.",
        {
            "list": (
                "review.moderate:list_drafts",
                "List the drafts waiting for a decision, oldest first: answers, questions for the expert, stale "
                "answers.",
            ),
            "show": (
                "review.moderate:show",
                "Show a draft: the question, the answer with its sources, what was searched, and similar drafts.",
            ),
            "approve": ("review.moderate:approve", "Approve a draft, as it is or edited."),
            "reject": ("review.moderate:reject", "Reject a draft."),
            "answer": ("review.moderate:answer", "Answer a question that the base could not answer."),
            "keep": ("review.moderate:keep_reply", "Keep a reply as a curated answer."),
            "gaps": (
                "review.moderate:gaps",
                "Show what to write next: declined, rejected and weakly supported questions, grouped.",
            ),
            "digest": (
                "review.moderate:digest",
                "Summarise a period: questions and how they were answered, stale answers, what to write, tokens.",
            ),
        },
    ),
    "terms": (
        "The preferred wording of answers.",
        {
            "list": ("review.terms:list_terms", "List the words to avoid and what to say instead."),
            "add": ("review.terms:add", "Add a word to avoid and the phrase to use instead, or change one."),
            "remove": ("review.terms:remove", "Remove a word from the terminology."),
        },
    ),
    "users": (
        "The people who ask questions.",
        {
            "list": ("people.users:list_users", "List the users."),
            "role": (
                "people.users:role",
                "Change a person's role to reader (also written user), expert or admin.",
            ),
            "block": ("people.users:block", "Refuse a person's questions."),
            "unblock": ("people.users:unblock", "Accept a person's questions again."),
            "forget": (
                "people.users:forget",
                "Remove a person's data: names, messages, drafts and conversations.",
            ),
        },
    ),
    "tokens": (
        "The tokens people pay with.",
        {
            "balance": ("people.tokens:balance", "Show how many tokens a person has."),
            "credit": ("people.tokens:credit", "Give a person tokens."),
            "history": ("people.tokens:history", "Show a person's token transactions, newest first."),
        },
    ),
    "models": (
        "Embedding, reranking and chat models on this machine.",
        {
            "list": (
                "models.models:list_models",
                "List the models that Sourcebook knows how to run, and those that are installed.",
            ),
            "get": (
                "models.models:get",
                "Download a model from the model hub, or from the mirror in HF_ENDPOINT.",
            ),
            "add": ("models.models:add", "Add a model from a folder, for machines without a network."),
            "use": (
                "models.models:use",
                "Use a model: download it if need be, switch the base to it if it is an embedder, and write the "
                "setting.",
            ),
            "compare": (
                "models.models_compare:compare",
                "Build a sample of the base with each model, and compare what is found, how fast and how large.",
            ),
            "remove": ("models.models:remove", "Remove a model from this machine."),
        },
    ),
    "accounts": (
        "Accounts for signing in to the page.",
        {
            "add": ("people.accounts:add", "Make an account for signing in to the page."),
            "list": ("people.accounts:list_accounts", "List the accounts."),
            "password": (
                "people.accounts:password",
                "Change an account's password, and sign it out everywhere.",
            ),
            "collections": ("people.accounts:collections", "Change which collections an account may see."),
            "signout": ("people.accounts:signout", "Sign an account out everywhere."),
            "remove": ("people.accounts:remove", "Remove an account, its sign-ins and its API keys."),
        },
    ),
    "keys": (
        "API keys for programs.",
        {
            "create": ("people.keys:create", "Make an API key for a program, and print it once."),
            "list": ("people.keys:list_keys", "List the API keys."),
            "revoke": ("people.keys:revoke", "Make an API key useless from now on."),
        },
    ),
    "config": (
        "The settings, and where they come from.",
        {
            "show": ("upkeep.config:show", "Show every setting, its value, and where it came from."),
            "set": ("upkeep.config:set_", "Write a setting to sourcebook.toml in this folder."),
            "citus": ("upkeep.config:citus", "Spread a base over several servers with Citus."),
        },
    ),
}
"""By name: its help, and its commands."""
