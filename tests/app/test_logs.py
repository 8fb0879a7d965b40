import io
import json
import logging
from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from bot.app import logs
from bot.app.logs import redactor

SECRET = "a webhook secret of ours"
PEM = (
    ed25519.Ed25519PrivateKey.generate()
    .private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    .decode()
)
FORMS = [
    "ghs_16C7e42F292c6912E7710c838347Ae178B4a",
    "ghs_123_eyJhbGciOi.eyJpc3MiOi-_x.AbCd-_12",
    "github_pat_11ABCDE0_abcdef",
    "ghp_abcdefghijklmnopqrst",
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjEyfQ.abc-_DEF",
    "sk-ant-api03-abcdefghijklmnop",
]


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Yield a stream for the log, and restore all logging afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield io.StringIO()
    root.handlers, root.level = handlers, level
    logging.captureWarnings(capture=False)


@pytest.mark.parametrize("token", FORMS)
@pytest.mark.parametrize(
    "around", ["{}", "Authorization: Bearer {}", "https://x-access-token:{}@github.com/o/r", "'{}',"]
)
def test_tokens_and_keys_are_hidden(token: str, around: str) -> None:
    """GitHub tokens, JWTs and provider keys are hidden in any context."""
    said = redactor(())(around.format(token))
    assert token[8:] not in said
    assert "***" in said


def test_passwords_and_headers_are_hidden() -> None:
    """Passwords in URLs, authorization headers and query tokens are hidden."""
    redact = redactor(())
    assert redact("postgresql://bot:pa55-word@db/x") == "postgresql://***@db/x"
    assert redact("authorization: basic dXNlcjpwYXNz") == "authorization: basic ***"
    assert redact("GET /setup?token=abc&x=1") == "GET /setup?token=***&x=1"


def test_private_key_is_hidden_in_every_format() -> None:
    """A key is hidden as a file, in JSON, without its first line, and as a single line."""
    redact = redactor([PEM])
    body = PEM.split("\n")[1]
    for said in (PEM, json.dumps(PEM), repr(PEM), "\n".join(PEM.split("\n")[1:]), f"line {body}"):
        assert body not in redact(said)


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_never_reach_the_log(stream: io.StringIO, form: str) -> None:
    """Messages, values, tracebacks, warnings and library loggers contain no secret."""
    logs.start("info", form, [SECRET, PEM], stream)
    with pytest.raises(ValueError, match="PRIVATE KEY") as caught:
        raise ValueError(f"cannot use {SECRET}\n{PEM}")
    logs.log("test")(f"failed with {SECRET}", error=caught.value, value=SECRET, key=PEM, level=logging.ERROR)
    logging.getLogger("some.library").error("sent %s", {"authorization": f"Bearer {FORMS[0]}", "key": PEM})
    logging.getLogger("py.warnings").warning("about %s", SECRET)
    said = stream.getvalue()
    assert said.count("\n") >= 3
    assert not [secret for secret in (SECRET, FORMS[0][8:], *PEM.split("\n")[1:2]) if secret in said]


def test_library_loggers_have_no_handlers_and_log_no_urls(stream: io.StringIO) -> None:
    """Libraries' own log handlers are removed. Libraries log no URLs, and each kind of warning once a minute."""
    library = logging.getLogger("alembic")
    library.addHandler(logging.StreamHandler(stream))
    logs.start("debug", "text", (), stream)
    logging.getLogger("httpx2").info("HTTP Request: GET https://api.github.com/app")
    library.info("started")
    assert (stream.getvalue(), library.handlers, library.propagate) == ("", [], True)
    for number in range(3):
        library.warning("failed %d", number)
    assert stream.getvalue().count("failed") == 1
