"""What a secret looks like, and which ones a text holds. What is hidden of them, from whom, is `bot.secrets.masking`."""
