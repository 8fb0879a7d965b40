"""Prices per token, from the list that ships with genai-prices. An unknown price is None, never 0 or a similar model's.

Nothing is downloaded, because the library's updater is never started.
"""

import re
from collections.abc import Iterator
from functools import cache

from deeprepo.rlm import is_installed
from deeprepo.rlm.values import UNLISTED, Usage, provider_name

LIST = "genai_prices"  # installed together with the clients that cost money
LISTED_AS = {"bedrock": "aws", "gemini": "google", "vertex": "google", "xai": "x-ai"}  # names that differ in the list
# Suffixes of a listed name that don't change the price: dates and release marks.
RELEASE = re.compile(r"([-@](latest|default|preview|exp|\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{2}-\d{4}|\d{4}))*")
BEDROCK = re.compile(r"(-\d{8})?(-v\d+)?(:\d+)?(:\d+k)?")  # Bedrock's suffixes: date, version, window
LITERALS = ("equals", "starts_with", "contains", "ends_with")  # the list's ways to compare a name with a literal
SEARCHES = ":online"  # OpenRouter's suffix for a web search with each request, whose price is not listed
REGIONAL = 1.1  # factor on the listed (global) price, for Claude in a region of Vertex AI
MILLION = 1_000_000
Rate = tuple[float, float]  # US dollars per million tokens of input and of output
VARIANT = re.compile(r":[a-z]+$")  # OpenRouter's suffixes for routing, which don't change the price


def dollars(name: str, usage: Usage, rate: Rate | None = None, *, is_own: bool = False) -> float | None:
    """Return the cost of this usage at `provider/model`, or None if the price is unknown.

    A `rate` overrides the list. A gateway at a public address has the listed price of the model that it names, and a server of
    the user's own (`is_own`) has none.
    """
    if rate is not None:
        return (usage.input * rate[0] + usage.output * rate[1]) / MILLION
    provider, model = provider_name(name), name.partition("/")[2]
    if not is_installed(LIST) or (provider in UNLISTED and is_own):
        return None
    if provider in UNLISTED:
        provider, model = _behind_gateway(model)
    if provider == "openrouter" and (variant := VARIANT.search(model)) is not None:
        if variant[0] in {":free", SEARCHES}:
            return 0.0 if variant[0] == ":free" else None
        model = model if _has_model(provider, model) else model[: variant.start()]
    if provider == "bedrock":
        model = model.rpartition("/")[2]  # an inference profile's ARN ends with the model
    more = REGIONAL if provider == "vertex" and model.startswith("claude") else 1.0
    provider = LISTED_AS.get(provider, provider)
    if not _has_model(provider, model):
        return None
    import genai_prices

    tokens = genai_prices.Usage(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write,
    )
    try:
        return more * float(genai_prices.calc_price(tokens, model, provider_id=provider).total_price)
    except (LookupError, ValueError):  # the list has no price for such tokens
        return None


def listed(provider: str) -> list[str]:
    """Return the provider's models in the list, if it has any."""
    from genai_prices.data_snapshot import get_snapshot

    provider = LISTED_AS.get(provider, provider)
    return [model.id for row in get_snapshot().providers if row.id == provider for model in row.models]


@cache
def _behind_gateway(model: str) -> tuple[str, str]:
    """Return the provider and the name under which the list has a gateway's model, such as `anthropic/claude-opus-5`."""
    from genai_prices.data_snapshot import get_snapshot

    maker, _, rest = model.partition("/")
    if _has_model(LISTED_AS.get(maker, maker), rest):
        return maker, rest
    bare = model.rpartition("/")[2]
    try:
        return get_snapshot().find_provider_model(bare, None, None, None)[0].id, bare
    except LookupError:
        return "", bare


@cache
def _has_model(provider: str, model: str) -> bool:
    """Return whether the list has exactly this model. The library's own search also accepts names with any suffix."""
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    if all(provider_row.id != provider for provider_row in snapshot.providers):
        return False
    try:
        _, listing = snapshot.find_provider_model(model, None, provider, None)
    except LookupError:
        return False
    ending = BEDROCK if provider == "aws" else RELEASE
    return _has_price(listing.prices) and any(
        _same(clause, model.lower(), ending) for clause in _clauses(listing.match)
    )


def _has_price(prices: object) -> bool:
    """Return whether any price is listed. A model may be listed without one."""
    each = [item.prices for item in prices] if isinstance(prices, list) else [prices]
    return all(any(value is not None for value in vars(price).values()) for price in each)


def _clauses(match: object) -> Iterator[object]:
    parts = getattr(match, "or_", None) or getattr(match, "and_", None)
    if parts is None:
        yield match
    for part in parts or ():
        yield from _clauses(part)


def _same(clause: object, model: str, ending: re.Pattern[str] = RELEASE) -> bool:
    if pattern := getattr(clause, "regex", None):
        return bool(re.search(pattern, model))
    literal = next((text for kind in LITERALS if (text := getattr(clause, kind, ""))), "").rstrip("-@")
    return bool(literal) and model.startswith(literal) and ending.fullmatch(model[len(literal) :]) is not None
