"""Sentences about public names that were removed from a published package."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from deeprepo.impact.changes import LostOffer

NAMED = 6  # names in a sentence


def lost_offers(offers: Iterable[LostOffer]) -> Iterator[str]:
    """Yield a sentence per package about its removed public names and the version they need."""
    by_package: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for offer in offers:
        by_package[offer.package, offer.version, offer.asks].append(f"`{offer.name}`")
    for (package, version, asks), names in by_package.items():
        listed = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
        are, them = ("is", "it") if len(names) == 1 else ("are", "them")
        yield (
            f"{listed} of the package `{package}` {are} removed, and users of the package may depend on {them}. "
            f"If {version} is published, the next version must be {asks}."
        )
