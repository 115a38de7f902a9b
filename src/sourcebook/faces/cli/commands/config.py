from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.output import say_json, say_rows


def show(call: Invocation) -> None:
    """Show every setting, its value and where it came from. Passwords are masked."""
    settings = call.loaded.as_dict()
    if call.as_json:
        say_json({"settings": settings})
        return
    say_rows(
        ("setting", "value", "from"),
        [(key, entry["value"], entry["origin"]) for key, entry in settings.items()],
    )
