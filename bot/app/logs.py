"""Configure a server's log: one line per event, as text or JSON, without headers, bodies or secrets."""

import base64
import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterable
from typing import TextIO

# Levels for libraries that would log too much, or log what we already log.
LIBRARY_LEVELS = {
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
PROBES, WEBHOOK = frozenset({"/healthz", "/readyz", "/metrics"}), "/webhook"
OWN_LOGGERS = ("bot", "deeprepo")
MAX_LOGGED_CHARS = 2_000  # of one message, because messages can contain text from strangers
FIRST_ERROR_STATUS = 400
REPEAT_SECONDS = 60.0  # between two records of one kind that repeat


def log(name: str) -> Callable[..., None]:
    """Return a function that logs an event: a message, followed by the keyword arguments as `name=value`.

    `level` and `error` (an exception whose traceback is logged) are not part of these facts.
    """
    logger = logging.getLogger(f"deeprepo.{name}")

    def write(what: str, *, level: int = logging.INFO, error: BaseException | None = None, **facts: object) -> None:
        logger.log(level, what, extra={"facts": facts}, exc_info=error)

    return write


def start(level: str, form: str, secrets: Iterable[str], stream: TextIO | None = None) -> None:
    """Set up this process's log: a single handler on the root logger, to `stream` or standard error.

    `form` is "json" or "text". The `secrets` are masked in every line.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter((JsonFormatter if form == "json" else PlainFormatter)(redactor(secrets)))
    handler.addFilter(_is_worth_logging)
    handler.addFilter(OncePerMinute())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    for name in OWN_LOGGERS:
        logging.getLogger(name).setLevel(level.upper())
    remove_library_handlers()
    logging.captureWarnings(capture=True)


def remove_library_handlers() -> None:
    """Remove the libraries' log handlers, and set their levels.

    Call this again after a library has started, because some libraries install a handler at that time.
    """
    for name, level in LIBRARY_LEVELS.items():
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
        logger.setLevel(level)


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Successful probes and webhook deliveries, which have their own event, are skipped.

    This also removes the query from the paths in uvicorn's access log.
    """
    if record.name == "uvicorn.access" and isinstance(record.args, tuple) and len(record.args) == 5:  # noqa: PLR2004
        peer, method, path, version, status = record.args
        path = str(path).partition("?")[0]
        record.args = (peer, method, path, version, status)
        return path != WEBHOOK and not (path in PROBES and isinstance(status, int) and status < FIRST_ERROR_STATUS)
    return True


class OncePerMinute(logging.Filter):
    """Passes each warning of a library, and of our own repeated checks, once a minute.

    Otherwise, an unreachable database would fill the log.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[str, int], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record."""
        is_ours = record.name.partition(".")[0] in OWN_LOGGERS
        kind, repeats = (record.pathname, record.lineno), record.__dict__.get("repeats", not is_ours)
        if record.levelno < logging.WARNING or not repeats:
            return True
        is_due = record.created - self._last.get(kind, 0.0) >= REPEAT_SECONDS
        if is_due:
            self._last[kind] = record.created
        return is_due


class _Formatter(logging.Formatter):
    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__()
        self._redact = redact


class PlainFormatter(_Formatter):
    """Formats records as text."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a line with time, level, message and facts.

        A traceback follows on indented lines, so that text from a stranger can't look like a line of the log.
        """
        facts = " ".join(f"{name}={_text(value)}" for name, value in _facts(record).items())
        line = f"{_time(record)} {record.levelname.lower():<7} {_name(record)}: {_one_line(record.getMessage())}"
        text = f"{line}  {facts}" if facts else line
        trace = _trace(self, record)
        return self._redact(text + "".join(f"\n    {row}" for row in trace.splitlines()))


class JsonFormatter(_Formatter):
    """Formats records as JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a JSON object on one line."""
        record_fields: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": _name(record),
            "message": self._redact(_one_line(record.getMessage())),
        }
        record_fields |= {name: self._redact(v) if isinstance(v, str) else v for name, v in _facts(record).items()}
        trace = _trace(self, record)
        if trace:
            # Before JSON escapes the line breaks in a private key
            record_fields["error"] = self._redact(trace)
        return self._redact(json.dumps(record_fields, default=str))


def as_json(say: Callable[[str], None]) -> Callable[[str], None]:
    """Return a function that prints a text for the operator as a line of a JSON log, with its links."""
    return lambda text: say(json.dumps({"level": "info", "logger": "server", "message": text}))


def _one_line(text: str) -> str:
    """Escape control characters, so that an event is always one line, and cut long texts."""
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


MASK = "***"
MIN_HIDDEN_CHARS = 6  # shorter secrets are not masked, because they can be part of ordinary words
MIN_KEY_LINE_CHARS = 32  # lines of a private key that are at least this long are masked individually
_SECRET_FORMS = re.compile(
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
    """Return a function that masks these secrets, and anything that resembles a secret, in a text."""
    forms = {form for secret in secrets for form in _forms(secret) if len(form) >= MIN_HIDDEN_CHARS}
    ours = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True)))) if forms else None

    def redact(text: str) -> str:
        return _SECRET_FORMS.sub(MASK, ours.sub(MASK, text) if ours else text)

    return redact


def _forms(secret: str) -> Iterable[str]:
    """Yield the forms in which a secret may appear: unchanged, in base64, line by line, escaped in JSON."""
    text = secret.strip()
    yield text
    if "\n" in text:
        yield text.replace("\n", "\\n")
        yield from (
            line for line in text.split("\n") if len(line) >= MIN_KEY_LINE_CHARS and not line.startswith("-----")
        )
    else:
        yield base64.b64encode(text.encode()).decode().rstrip("=")
