"""The Recursive Language Model: models of every provider, and a REPL in which a root model's Python runs."""

from importlib.util import find_spec

# By which models are spoken to, as they are imported: what the extra `models` brings.
PACKAGES = ("aiohttp", "anthropic", "genai_prices", "httpx2", "openai")


def is_installed(*packages: str) -> bool:
    """Return whether all of these packages can be imported. None is imported for the answer."""
    try:
        return all(find_spec(package) is not None for package in packages)
    except ImportError:
        return False
