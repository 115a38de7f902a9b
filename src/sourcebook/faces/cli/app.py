"""The `sourcebook` command and its subcommands."""

from typing import Annotated

import typer

from sourcebook._version import __version__
from sourcebook.errors import UsageError
from sourcebook.faces.cli.commands.asking import ask, chat, search, sessions
from sourcebook.faces.cli.commands.documents import add, collections, documents
from sourcebook.faces.cli.commands.models import calibrate, models, models_compare
from sourcebook.faces.cli.commands.models import eval as evaluation
from sourcebook.faces.cli.commands.people import accounts, keys, tokens, users
from sourcebook.faces.cli.commands.review import check, kb, kb_files, moderate, terms
from sourcebook.faces.cli.commands.serving import bot, demo, mcp, serve
from sourcebook.faces.cli.commands.upkeep import (
    backup,
    config,
    copy,
    doctor,
    export,
    import_,
    reindex,
    restore,
)
from sourcebook.faces.cli.invocation import Db, Invocation, Json, Level, takes_common_options
from sourcebook.faces.cli.terminal.output import say, say_json, tell

app = typer.Typer(
    name="sourcebook",
    help="A self-hosted knowledge base: point it at a folder of documents, then ask.",
    epilog="The options --db, --json and --log-level may come before or after the command.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(ctx: typer.Context, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    call: Invocation = ctx.obj
    if call.as_json:
        say_json({"version": __version__})
    else:
        say(f"sourcebook {__version__}")
    raise typer.Exit


@app.callback(invoke_without_command=True)
def common(
    ctx: typer.Context,
    db: Db = None,
    as_json: Json = False,
    log_level: Level = None,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    call: Invocation = ctx.obj
    call.take(db=db, log_level=log_level)
    if ctx.invoked_subcommand is None:
        if not call.as_json:
            tell(ctx.get_help())
        raise UsageError("No command was given.", hint="`sourcebook --help` lists the commands.")


app.command("add")(takes_common_options(add.add))
app.command("search")(takes_common_options(search.search))
app.command("ask")(takes_common_options(ask.ask))
app.command("chat")(takes_common_options(chat.chat))
app.command("check")(takes_common_options(check.check))
app.command("serve")(takes_common_options(serve.serve))
app.command("mcp")(takes_common_options(mcp.mcp))
app.command("bot")(takes_common_options(bot.bot))
app.command("demo")(takes_common_options(demo.demo))
app.command("doctor")(takes_common_options(doctor.doctor))
app.command("reindex")(takes_common_options(reindex.reindex))
app.command("backup")(takes_common_options(backup.backup))
app.command("restore")(takes_common_options(restore.restore))
app.command("copy")(takes_common_options(copy.copy))
app.command("calibrate")(takes_common_options(calibrate.calibrate))
app.command("eval")(takes_common_options(evaluation.evaluate))
app.command("export")(takes_common_options(export.export))
app.command("import")(takes_common_options(import_.import_bundle))

documents_app = typer.Typer(help="The documents in the base.", rich_markup_mode=None)
documents_app.command("list")(takes_common_options(documents.list_documents))
documents_app.command("show")(takes_common_options(documents.show))
documents_app.command("hide")(takes_common_options(documents.hide))
documents_app.command("unhide")(takes_common_options(documents.unhide))
documents_app.command("remove")(takes_common_options(documents.remove))
app.add_typer(documents_app, name="documents")

collections_app = typer.Typer(
    help="Sets of documents, each with its own embedding model.", rich_markup_mode=None
)
collections_app.command("list")(takes_common_options(collections.list_collections))
collections_app.command("create")(takes_common_options(collections.create))
collections_app.command("remove")(takes_common_options(collections.remove))
app.add_typer(collections_app, name="collections")

sessions_app = typer.Typer(help="Your conversations.", rich_markup_mode=None)
sessions_app.command("list")(takes_common_options(sessions.list_sessions))
sessions_app.command("show")(takes_common_options(sessions.show))
sessions_app.command("rename")(takes_common_options(sessions.rename))
sessions_app.command("remove")(takes_common_options(sessions.remove))
sessions_app.command("export")(takes_common_options(sessions.export))
app.add_typer(sessions_app, name="sessions")

kb_app = typer.Typer(
    help="Curated answers, approved by a person and preferred by `ask`.", rich_markup_mode=None
)
kb_app.command("list")(takes_common_options(kb.list_entries))
kb_app.command("add")(takes_common_options(kb.add))
kb_app.command("show")(takes_common_options(kb.show))
kb_app.command("also")(takes_common_options(kb.also))
kb_app.command("wordings")(takes_common_options(kb.wordings))
kb_app.command("accept")(takes_common_options(kb.accept))
kb_app.command("reject")(takes_common_options(kb.reject))
kb_app.command("edit")(takes_common_options(kb.edit))
kb_app.command("remove")(takes_common_options(kb.remove))
kb_app.command("export")(takes_common_options(kb_files.export))
kb_app.command("import")(takes_common_options(kb_files.import_))
app.add_typer(kb_app, name="kb")

moderate_app = typer.Typer(
    help="The review queue: answers to approve, questions for the expert, stale curated answers.",
    rich_markup_mode=None,
)
moderate_app.command("list")(takes_common_options(moderate.list_drafts))
moderate_app.command("show")(takes_common_options(moderate.show))
moderate_app.command("approve")(takes_common_options(moderate.approve))
moderate_app.command("reject")(takes_common_options(moderate.reject))
moderate_app.command("answer")(takes_common_options(moderate.answer))
moderate_app.command("keep")(takes_common_options(moderate.keep_reply))
moderate_app.command("gaps")(takes_common_options(moderate.gaps))
moderate_app.command("digest")(takes_common_options(moderate.digest))
app.add_typer(moderate_app, name="moderate")

terms_app = typer.Typer(help="The preferred wording of answers.", rich_markup_mode=None)
terms_app.command("list")(takes_common_options(terms.list_terms))
terms_app.command("add")(takes_common_options(terms.add))
terms_app.command("remove")(takes_common_options(terms.remove))
app.add_typer(terms_app, name="terms")

users_app = typer.Typer(help="The people who ask questions.", rich_markup_mode=None)
users_app.command("list")(takes_common_options(users.list_users))
users_app.command("role")(takes_common_options(users.role))
users_app.command("block")(takes_common_options(users.block))
users_app.command("unblock")(takes_common_options(users.unblock))
users_app.command("forget")(takes_common_options(users.forget))
app.add_typer(users_app, name="users")

tokens_app = typer.Typer(help="The tokens people pay with.", rich_markup_mode=None)
tokens_app.command("balance")(takes_common_options(tokens.balance))
tokens_app.command("credit")(takes_common_options(tokens.credit))
tokens_app.command("history")(takes_common_options(tokens.history))
app.add_typer(tokens_app, name="tokens")

models_app = typer.Typer(help="Embedding, reranking and chat models on this machine.", rich_markup_mode=None)
models_app.command("list")(takes_common_options(models.list_models))
models_app.command("get")(takes_common_options(models.get))
models_app.command("add")(takes_common_options(models.add))
models_app.command("use")(takes_common_options(models.use))
models_app.command("compare")(takes_common_options(models_compare.compare))
models_app.command("remove")(takes_common_options(models.remove))
app.add_typer(models_app, name="models")

accounts_app = typer.Typer(help="Accounts for signing in to the page.", rich_markup_mode=None)
accounts_app.command("add")(takes_common_options(accounts.add))
accounts_app.command("list")(takes_common_options(accounts.list_accounts))
accounts_app.command("password")(takes_common_options(accounts.password))
accounts_app.command("collections")(takes_common_options(accounts.collections))
accounts_app.command("signout")(takes_common_options(accounts.signout))
accounts_app.command("remove")(takes_common_options(accounts.remove))
app.add_typer(accounts_app, name="accounts")

keys_app = typer.Typer(help="API keys for programs.", rich_markup_mode=None)
keys_app.command("create")(takes_common_options(keys.create))
keys_app.command("list")(takes_common_options(keys.list_keys))
keys_app.command("revoke")(takes_common_options(keys.revoke))
app.add_typer(keys_app, name="keys")

config_app = typer.Typer(help="The settings, and where they come from.", rich_markup_mode=None)
config_app.command("show")(takes_common_options(config.show))
config_app.command("set")(takes_common_options(config.set_))
config_app.command("citus")(takes_common_options(config.citus))
app.add_typer(config_app, name="config")
