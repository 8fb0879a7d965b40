"""The log of a server: standard library, one line per event, words or JSON. No headers, no bodies, no secrets."""

import base64
import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterable
from typing import TextIO

# Libraries that tell what is ours to tell, or more than anybody wants to read.
TAMED = {
    "alembic": logging.WARNING,
    "asyncio": logging.WARNING,
    "githubkit": logging.WARNING,
    "hishel": logging.WARNING,
    "httpcore": logging.WARNING,
    "httpcore2": logging.WARNING,
    "httpx": logging.WARNING,
    "httpx2": logging.WARNING,
    "sqlalchemy": logging.WARNING,
    "uvicorn": logging.INFO,
    "uvicorn.access": logging.INFO,
    "uvicorn.error": logging.WARNING,
}
PROBES, HOOK = frozenset({"/healthz", "/readyz", "/metrics"}), "/webhook"
OURS = ("bot", "deeprepo")
MAX_LOGGED_CHARS = 2_000  # characters of one message: a stranger's text must not flood the log
OK = 400


def log(name: str) -> Callable[..., None]:
    """Return a function that writes one event: its words, then named facts.

    `level` and `error` are not facts.
    """
    logger = logging.getLogger(f"deeprepo.{name}")

    def write(what: str, *, level: int = logging.INFO, error: BaseException | None = None, **facts: object) -> None:
        logger.log(level, what, extra={"facts": facts}, exc_info=error)

    return write


def start(level: str, form: str, secrets: Iterable[str], stream: TextIO | None = None) -> None:
    """Set up the log of this process: one handler at the root, through which everything goes."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter((Json if form == "json" else PlainFormatter)(redactor(secrets)))
    handler.addFilter(_worth)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    for name in OURS:
        logging.getLogger(name).setLevel(level.upper())
    remove_library_handlers()
    logging.captureWarnings(capture=True)


def remove_library_handlers() -> None:
    """Take the libraries' own handlers away. Again after they were started: some bring a handler along then."""
    for name, level in TAMED.items():
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
        logger.setLevel(level)


def _worth(record: logging.LogRecord) -> bool:
    """Whether a record is worth a line: not a probe that was answered as expected, nor a delivery, which has an event of its own.

    Queries are cut off here.
    """
    if record.name == "uvicorn.access" and isinstance(record.args, tuple) and len(record.args) == 5:  # noqa: PLR2004 - of uvicorn
        peer, method, path, version, status = record.args
        path = str(path).partition("?")[0]
        record.args = (peer, method, path, version, status)
        return path != HOOK and not (path in PROBES and isinstance(status, int) and status < OK)
    return True


class _Formatter(logging.Formatter):
    """Lets no secret through."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__()
        self._redact = redact


class PlainFormatter(_Formatter):
    """A line for people."""

    def format(self, record: logging.LogRecord) -> str:
        """Return time, level, words, facts; a traceback below, indented, so that no text of a stranger begins a line."""
        facts = " ".join(f"{name}={_text(value)}" for name, value in _facts(record).items())
        line = f"{_time(record)} {record.levelname.lower():<7} {_name(record)}: {_one_line(record.getMessage())}"
        text = f"{line}  {facts}" if facts else line
        trace = _trace(self, record)
        return self._redact(text + "".join(f"\n    {row}" for row in trace.splitlines()))


class Json(_Formatter):
    """A line for machines."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one object on one line."""
        record_fields: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": _name(record),
            "message": self._redact(_one_line(record.getMessage())),
        }
        record_fields |= {name: self._redact(v) if isinstance(v, str) else v for name, v in _facts(record).items()}
        trace = _trace(self, record)
        if trace:
            record_fields["error"] = self._redact(trace)  # before JSON escapes the lines of a key
        return self._redact(json.dumps(record_fields, default=str))


def _one_line(text: str) -> str:
    """Return a text without line breaks and control characters, so that an event is always one line."""
    cut = text if len(text) <= MAX_LOGGED_CHARS else f"{text[:MAX_LOGGED_CHARS]}... ({len(text):,} characters)"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut)


def _facts(record: logging.LogRecord) -> dict[str, object]:
    facts: dict[str, object] = record.__dict__.get("facts", {})
    return {name: value for name, value in facts.items() if value is not None}


def _text(value: object) -> str:
    text = _one_line(f"{value:.3f}" if isinstance(value, float) else str(value))
    return json.dumps(text, ensure_ascii=False) if not text or " " in text or '"' in text else text


def _name(record: logging.LogRecord) -> str:
    return record.name.removeprefix("deeprepo.")


def _time(record: logging.LogRecord) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z"


def _trace(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    if record.exc_info and record.exc_info[0] is not None:
        return formatter.formatException(record.exc_info)
    return record.stack_info or ""


STARS = "***"
MIN_HIDDEN_CHARS = 6  # a shorter value is a word that stands everywhere
KEY_LINE = 32  # of a private key's body, a line of which gives part of it away
_FORMS = re.compile(
    r"""
    -----BEGIN[ A-Z0-9]*PRIVATE[ ]KEY-----.*?(?:-----END[ A-Z0-9]*PRIVATE[ ]KEY-----|\Z)
    | \b(?:gh[a-z]_|github_pat_)[A-Za-z0-9_.-]+          # GitHub's tokens, of any length
    | \beyJ(?:(?!-eyJ)[\w-]){8,}+\.[\w-]++(?:\.[\w-]*+)?  # a signed token such as the App's own
    | \bsk-[A-Za-z0-9_-]{16,}                            # of model providers
    | (?<=://)[^\s/@:]*+:[^\s/@]*+(?=@)                  # name and password in an address
    | (?i:(?<=\bbearer\s)|(?<=\bbasic\s)|(?<=\btoken\s))[A-Za-z0-9_.~+/=-]{8,}
    | (?i:(?<=[?&]token=)|(?<=[?&]code=)|(?<=[?&]state=))[^\s&"']+
    """,
    re.VERBOSE | re.DOTALL,
)


def redactor(secrets: Iterable[str]) -> Callable[[str], str]:
    """Return what makes a text fit for the log, given the secrets that this process knows."""
    forms = {form for secret in secrets for form in _forms(secret) if len(form) >= MIN_HIDDEN_CHARS}
    ours = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True)))) if forms else None

    def redact(text: str) -> str:
        return _FORMS.sub(STARS, ours.sub(STARS, text) if ours else text)

    return redact


def _forms(secret: str) -> Iterable[str]:
    """The forms in which a secret may turn up: as it is, in a header of its own, line by line, as JSON writes it."""
    text = secret.strip()
    yield text
    if "\n" in text:
        yield text.replace("\n", "\\n")
        yield from (line for line in text.split("\n") if len(line) >= KEY_LINE and not line.startswith("-----"))
    else:
        yield base64.b64encode(text.encode()).decode().rstrip("=")
