"""The Recursive Language Model: a client for every model provider, and a REPL that runs a root model's code."""

from importlib.util import find_spec

# The client libraries that the extra `models` installs, by import name.
PACKAGES = ("aiohttp", "anthropic", "genai_prices", "httpx2", "openai")


def is_installed(*packages: str) -> bool:
    """Return whether all of these packages can be imported, without importing any."""
    try:
        return all(find_spec(package) is not None for package in packages)
    except ImportError:
        return False
