"""Import learnings that another reviewer exported as CSV or JSON, each as an instruction for its files."""

import csv
import json
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any

from bot.config.other_reviewers.conversion import ALL, OldSettings, SettingsFormat

# Possible names of the columns with the text and the path. The first one that exists is used.
TEXT_COLUMNS = ("learning", "text", "content", "rule", "instruction", "description")
FILE_COLUMNS = ("file", "path", "filename", "file_path", "pattern")


class Learnings(SettingsFormat):
    """The format of exported learnings."""

    word, name = "learnings", "Exported learnings"
    files = ("learnings.csv", "learnings.json", "coderabbit-learnings.csv", "coderabbit_learnings.csv")

    def load(self, text: str) -> Any:  # noqa: ANN401 - whatever the file contains
        """Parse JSON or CSV. Raises ValueError if no column has the text."""
        is_json = text.lstrip("\ufeff \t\r\n")[:1] in ("[", "{")
        data: Any = (
            json.loads(text.lstrip("\ufeff")) if is_json else list(csv.DictReader(StringIO(text.lstrip("\ufeff"))))
        )
        rows = data.get("learnings", []) if isinstance(data, dict) else data
        return {"learnings": [_row(row) for row in rows if isinstance(row, dict)]} if rows else None

    def read(self, old: OldSettings, /) -> None:
        """Import each learning as an instruction."""
        for key, row in old.each("learnings"):
            old.import_instruction(key, row["path"] or ALL, row["text"])


def _row(row: Mapping[Any, Any]) -> dict[str, str]:
    values = {str(name).strip().lower().replace(" ", "_"): value for name, value in row.items()}
    text = _first(values, TEXT_COLUMNS)
    if text is None:
        raise ValueError(
            f"no column has the text of a learning. Name it `learning`; the columns are {', '.join(values)}"
        )
    path = (_first(values, FILE_COLUMNS) or "").strip()
    return {"text": text, "path": f"/{path.lstrip('/')}" if path and "*" not in path else path}


def _first(values: Mapping[str, Any], names: Iterable[str]) -> str | None:
    return next((str(values[name] or "") for name in names if name in values), None)
