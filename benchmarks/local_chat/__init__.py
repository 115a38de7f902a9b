"""How a chat model on this machine answers: right, cited, declined, how soon, and with how much memory."""
