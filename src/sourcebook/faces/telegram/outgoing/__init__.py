"""What the bot sends: replies, the outbox, announcements and alerts."""
