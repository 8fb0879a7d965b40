"""Detect secrets in text. `bot.secrets.masking` hides them."""
