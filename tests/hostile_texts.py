"""A corpus of texts that try to manipulate a reviewer."""

from pathlib import Path
from typing import Any

import yaml

CORPUS = yaml.safe_load((Path(__file__).parent / "hostile/corpus.yml").read_text(encoding="utf-8"))


def text_of(entry: dict[str, Any]) -> str:
    """Return an entry's text, with repetitions expanded."""
    text = entry["text"] * entry.get("repeat", 1)
    return text + entry.get("repeat_char", "") * entry.get("times", 0) + entry.get("end", "")
