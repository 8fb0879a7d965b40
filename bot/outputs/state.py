"""What a round leaves for the next one: on a server a column beside its output, in a workflow a line of the summary comment, below its marker.

It is as large as its place, whatever the change is like: first goes what only saves reading, and of what could fail a check the least
severe goes last, never without a word (`loss`).

A workflow writes as github-actions[bot], and so does every other workflow of the repository: one that repeats what strangers
write could be made to repeat a state. So a state is signed where there is a secret to sign with, and one that is not signed
cannot leave anything unread; it only shows what was reported before.
"""

import base64
import hashlib
import hmac
import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from types import MappingProxyType
from typing import Any

from bot.outputs import json_file
from bot.values import Ending, PullRef, Review, severity_rank
from bot.values.change import is_object_id

VERSION = "1"
MOST = 32_000  # characters in the comment: the other half of it belongs to the reader
MOST_BYTES = 8 << 20  # unpacked, and on a server
MOST_FILE = 32 << 20
MOST_ROUNDS = 100_000
UNSIGNED, TOO_LARGE = "-", "too-large"
_LINE = re.compile(r"<!-- deeprepo-state:([A-Za-z0-9-]*)(?::([0-9a-f-]*):([A-Za-z0-9+/=]*))? -->")
FOREIGN = "the state of the last review was not signed by this workflow, or with another key"
# What a state that anybody could have made may not bring: what leaves code unread, silences, folds, or speaks in our name.
_UNATTESTED: Mapping[str, Any] = MappingProxyType(
    {
        "read": [],
        "read_by_model": [],
        "coverage": {"readings": []},
        "issues": [],
        "checks": [],
        "summary": "",
        "walkthrough": None,
        "attested": False,
        "verdict": None,
    }
)
# What is left out where it does not fit, in this order: what the next round can write or read again.
_SPARED: Sequence[Mapping[str, Any]] = (
    {"walkthrough": None, "summary": ""},
    {"read": [], "read_by_model": [], "coverage": {"readings": []}, "checks": [], "issues": []},
    {"files": []},
)
# What every state holds: these rows, those first that are worth most.
_LASTING = ("findings", "failed_answers", "numbers")
LOSS = "more was reported of this change than its state holds"
FOREIGN_FILE = (
    "the file of the last review was not signed by this workflow, or with another key, or for another pull request"
)
OLDER = "the summary holds the state of an older review than the last one"
DAMAGED = "the state of the last review is damaged"
NONE = "the summary of the last review holds no state"


@dataclass(frozen=True, slots=True)
class HeadVerdict:
    """What a review came to, and for what: an event that starts no review repeats it."""

    conclusion: Ending
    head: str
    base_ref: str


def pack(review: Review, pull: PullRef, secret: bytes | None, verdict: HeadVerdict | None = None) -> str:
    """The line that holds the state."""
    row = asdict(verdict) if verdict and secret else None
    content = {**_slim(json_file.content(review), is_signed=secret is not None), "verdict": row}
    text = _text(_fit(content, lambda data: len(data) <= MOST_BYTES and len(_text(data)) <= MOST))
    return f"<!-- deeprepo-state:{VERSION}:{_sign(text, pull, secret)}:{text} -->"


def store(content: Mapping[str, Any]) -> bytes:
    """The state as a server stores it, of what its JSON output shows."""
    return _fit(_slim(content, is_signed=True), lambda data: len(data) <= MOST_BYTES)


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def _fit(content: Mapping[str, Any], fits: Callable[[bytes], bool]) -> bytes:
    """As much of a state as its place takes: all that it is worth most, and where rows of that are left out, the loss."""
    for omission in ({}, *_SPARED):
        content = {**content, **omission}
        if fits(data := _data(content)):
            return data
    rows = sorted(((name, row) for name in _LASTING for row in content[name]), key=_worth)
    least, most = 0, len(rows)  # so many fit, so many do not
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(_data(_partial(content, rows[:middle]))) else (least, middle)
    return _data(_partial(content, rows[:least]))


def _partial(content: Mapping[str, Any], rows: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    by_name: dict[str, list[Any]] = {name: [] for name in _LASTING}
    for name, row in rows:
        by_name[name].append(row)
    return {**content, **by_name, "loss": LOSS}


def _worth(named_row: tuple[str, Any]) -> tuple[int, int]:
    """By which the rows of a state are in order: what fails a check comes first."""
    name, row = named_row
    if name == "numbers":
        return 4, -row[0]  # what is given last is what people speak of
    if name == "failed_answers":
        return (0, 1) if row["is_open"] else (2, 0)
    is_open = row["status"] in ("new", "still")
    return (0, 0) if is_open and row["category"] == "secret" else (1 if is_open else 3, severity_rank(row["severity"]))


def _data(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content).encode()


def unpack(body: str, pull: PullRef, secret: bytes | None) -> bytes | str:
    """The earlier review as `--previous` takes it, or the sentence that explains why it cannot be used. `body`: of one of deeprepo's summaries."""
    _, _, rest = body.replace("\r\n", "\n").partition("\n")
    match = _LINE.fullmatch(rest.partition("\n")[0])
    if match is None:
        return NONE
    version, sign, text = match.groups()
    if version == TOO_LARGE:
        return "the state of the last review did not fit into its comment"
    if version != VERSION or text is None:
        return "the state of the last review has another form"
    if len(text) > MOST:
        return "the state of the last review is too large"
    if secret is not None and not hmac.compare_digest(sign, _sign(text, pull, secret)):
        return FOREIGN
    return _unpack(text, is_signed=secret is not None)


def head(data: bytes) -> str | None:
    """The commit that a state, or the JSON output of a review, is about; None if it does not tell."""
    return ends(data)[1]


def ends(data: bytes) -> tuple[str | None, str | None]:
    """The merge base and the commit that it is about."""
    pull = json.loads(data).get("pull")
    return (pull.get("base"), pull.get("head")) if isinstance(pull, dict) else (None, None)


def verdict(data: bytes) -> HeadVerdict | None:
    """Return the verdict of a trusted state, or None if it holds none."""
    row = json.loads(data).get("verdict")
    endings = ("success", "neutral", "failure")
    names = {one.name for one in fields(HeadVerdict)}
    is_whole = isinstance(row, dict) and set(row) == names and row["conclusion"] in endings
    return HeadVerdict(**row) if is_whole else None


def signed_file(text: str, pull: PullRef, secret: bytes | None) -> str:
    """The JSON output with a signature in it, so that a step can tell its own file from one of the reviewed tree."""
    if secret is None:
        return text
    document = json.loads(text)
    return (
        json.dumps({**document, "signature": _sign(_canonical(document), pull, secret)}, ensure_ascii=False, indent=2)
        + "\n"
    )


def from_file(data: bytes, pull: PullRef, secret: bytes | None) -> bytes | str:
    """The earlier review of a file, or the sentence that explains why it cannot be used. Without a secret it leaves nothing unread."""
    if len(data) > MOST_FILE:
        return "the file of the last review is too large"
    try:
        document = json.loads(data)
        sign = document.pop("signature", "")
        if secret is not None and not hmac.compare_digest(
            str(sign).encode(), _sign(_canonical(document), pull, secret).encode()
        ):
            return FOREIGN_FILE
        return json.dumps(document if secret is not None else _unattested(document)).encode()
    except (ValueError, AttributeError, TypeError, RecursionError):
        return "the file of the last review is damaged"


def _unattested(document: dict[str, Any]) -> dict[str, Any]:
    """The same without what only a trusted state may bring. Where a check failed is looked up in the tree; why, nobody vouches for."""
    rows = document.get("failed_answers", ())
    answers = [{**row, "file": {**row["file"], "reason": ""}} for row in rows]
    findings = [row for row in document["findings"] if row["status"] in ("new", "still")]
    return {**document, **_UNATTESTED, "failed_answers": answers, "findings": findings}


def _canonical(document: dict[str, Any]) -> str:
    return f"file:{json.dumps(document, sort_keys=True)}"


def secret(key: str) -> bytes:
    """What a state is signed with, from a key that only this workflow has; the key cannot be found from the signatures."""
    return hashlib.scrypt(key.encode(), salt=b"deeprepo: the state of a round", n=1 << 14, r=8, p=1)


def _sign(text: str, pull: PullRef, key: bytes | None) -> str:
    """Bound to the pull request, so that the state of another one is foreign."""
    if key is None:
        return UNSIGNED
    return hmac.new(key, f"{VERSION}:{pull.key}:{text}".encode(), hashlib.sha256).hexdigest()


def _slim(full: Mapping[str, Any], *, is_signed: bool) -> dict[str, Any]:
    """Of the JSON output, what the next round reads. What leaves code unread is kept where it can be signed alone."""
    rows = [row for row in full["coverage"]["readings"] if row["kind"] == "dependent" and _read(row)]
    uses = {  # one row for all uses of one definition in one file: who read them, or that one was left open
        (row["name"], row["path"], row["state"] == "unread"): row
        for row in full["coverage"]["readings"]
        if row["kind"] == "use" and (row["read"] or row["state"] == "unread")
    }
    return {
        **{
            name: full[name]
            for name in (
                "schema_version",
                "tool",
                "issues",
                "checks",
                "summary",
                "numbers",
                "failed_answers",
                "shown_consumers",
                "loss",
            )
        },
        "findings": [
            {k: v for k, v in row.items() if k not in ("place", "spot", "replacement", "refused")}
            for row in full["findings"]
            if row["status"] not in ("fixed", "refuted")
        ],
        "walkthrough": _model_part(full["walkthrough"]),
        "round": {"number": full["round"]["number"]},
        "pull": {name: full["pull"][name] for name in ("base", "head")},
        "read": full["read"] if is_signed else [],
        "read_by_model": full["read_by_model"] if is_signed else [],
        "coverage": {"readings": _slim_rows([*rows, *uses.values()]) if is_signed else []},
        "files": [{"path": row["path"]} for row in full["files"]],
    }


def _model_part(walkthrough: dict[str, Any] | None) -> dict[str, Any] | None:
    """What a model has said of the change: code's words are made again."""
    if walkthrough is None:
        return None
    themes = [
        {**theme, "rows": [row for row in theme["rows"] if row["by"] == "model"]} for theme in walkthrough["themes"]
    ]
    overview = walkthrough["overview"] if walkthrough["by"] == "model" else ""
    return {"overview": overview, "by": walkthrough["by"], "themes": [theme for theme in themes if theme["rows"]]}


def _slim_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    names = {"dependent": ("kind", "path", "state"), "use": ("kind", "path", "state", "name", "read")}
    return [{name: row[name] for name in names[row["kind"]]} for row in rows]


def _read(row: dict[str, Any]) -> bool:
    return row["state"] in ("reviewed", "reused")


def _unpack(text: str, *, is_signed: bool) -> bytes | str:
    """The JSON of a state: unpacked within a limit, and with nothing in it that git could take for anything but a commit."""
    try:
        reader = zlib.decompressobj()
        data = reader.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        if not reader.eof:
            return DAMAGED
        document = json.loads(data)
        ends = [document["pull"]["base"], document["pull"]["head"]]
        if not all(is_object_id(end) for end in ends):
            return DAMAGED
        if not 0 < int(document["round"]["number"]) <= MOST_ROUNDS:
            return DAMAGED
        if not is_signed:
            data = json.dumps(_unattested(document)).encode()
    except (ValueError, KeyError, TypeError, OverflowError, zlib.error, RecursionError):
        return DAMAGED
    return data
