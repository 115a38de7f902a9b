"""What comes from Telegram: fetched or received, attributed to a sender, passed on in order."""
