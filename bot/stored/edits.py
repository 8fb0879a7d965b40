"""Write stored reviews, and add facts that become known later. `stored.reviews` reads them."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from bot.render import safe_json
from bot.stored.reviews import parse


def write(content: Mapping[str, Any]) -> str:
    """Return a review's JSON document as text."""
    return safe_json(json.dumps(content, ensure_ascii=False, indent=2)) + "\n"


def with_numbers(data: bytes, numbers: Mapping[str, int]) -> str:
    """Return a stored review with finding numbers that were assigned after it was stored.

    `numbers` are by fingerprint. Raises UnreadableError.
    """
    document = parse(data)
    for finding in document["findings"]:
        if finding["status"] == "silenced":
            finding["number"] = finding["number"] or numbers.get(finding["fingerprint"], 0)
    known_numbers = {number for number, _ in document["numbers"]}
    new_numbers = ([number, mark] for mark, number in numbers.items() if number not in known_numbers)
    document["numbers"] = sorted([*document["numbers"], *new_numbers])
    return write(document)


def with_unsaid(data: bytes, numbers: Collection[int]) -> bytes:
    """Return a review's state with the numbers of findings that could not be posted.

    Raises UnreadableError.
    """
    return write({**parse(data), "unsaid": sorted(numbers)}).encode()
