"""Telegram: people ask in a chat, experts review in theirs. Nothing here decides anything of the domain."""
