"""What the bot does with commands, questions, presses, files and payments."""
