"""One's own problems: JSON lines, each with a context (or the path of one), a question and the answer that must come out."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.errors import UsageError
from deeprepo.texts import material
from deeprepo_evals.context.problems import Problem
from deeprepo_evals.context.score import Expected

PAIR = 2
FIELDS = "context (a text) or path (a file or folder), question, answer"


def read(file: Path) -> dict[str, tuple[str, Problem]]:
    """The problems of a file by a hash of what they are, each with the name of its task. Raises UsageError with the line."""
    try:
        lines = file.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the problems {file} cannot be read as text: {error}") from error
    texts: dict[Path, str] = {}  # many questions may be asked of one text
    found: dict[str, tuple[str, Problem]] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            where = f"{file}, line {number}"
            row = _row(line, where)
            problem = _problem(row, file.parent, texts, where)
            said = json.dumps([problem.text, problem.question, problem.expected])
            found[hashlib.sha256(said.encode()).hexdigest()[:24]] = (str(row.get("task") or file.stem), problem)
    if not found:
        raise UsageError(f"{file} has no problem: a line is a JSON object with {FIELDS}")
    return found


def _row(line: str, where: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict) or not isinstance(row.get("question"), str) or "answer" not in row:
        raise UsageError(f"{where} is no problem: a line is a JSON object with {FIELDS}")
    return row


def _problem(row: Mapping[str, Any], folder: Path, texts: dict[Path, str], where: str) -> Problem:
    expected, text, named = _expected(row["answer"], where), row.get("context"), row.get("path")
    if isinstance(text, str) and named is None:
        return Problem(text, row["question"], expected, scoring="oolong")
    if not isinstance(named, str) or text is not None:
        raise UsageError(f"{where} needs a context, which is a text, or a path: give one of them")
    path = folder / named
    try:
        text = texts[path] if path in texts else texts.setdefault(path, _whole(material.of(path)))
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error
    return Problem(text, row["question"], expected, scoring="oolong", path=path)


def _whole(context: material.Material) -> str:
    return "\n".join("".join(map(context.read, item.parts)) for item in context.items)


def _expected(answer: Any, where: str) -> Expected:  # noqa: ANN401 - a JSON value
    if answer is None or isinstance(answer, str) or (isinstance(answer, int) and not isinstance(answer, bool)):
        return answer
    rows = answer if isinstance(answer, list) else []
    if rows and all(isinstance(one, str) for one in rows):
        return tuple(rows)
    if rows and all(isinstance(one, list) and len(one) == PAIR for one in rows):
        return tuple((str(one), str(other)) for one, other in rows)
    raise UsageError(
        f"{where}: an answer is a text, a whole number, several texts of which one is enough, pairs, or null where the context does not hold it"
    )
