"""The Recursive Language Model: models of every provider, and a REPL in which a root model's Python runs."""

# By which models are spoken to, as they are imported: what the extra `models` brings.
PACKAGES = ("aiohttp", "anthropic", "genai_prices", "httpx2", "openai")
