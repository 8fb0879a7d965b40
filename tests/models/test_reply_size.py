"""Replies have a maximum size. Anything beyond it is not read, whether compressed or streamed."""

import gzip
import json

import pytest
from talking import asked
from test_plainer_forms import talk

from deeprepo.rlm.errors import ProviderDown
from deeprepo.rlm.models.connection import MOST_REPLY

LONG = json.dumps({"choices": [{"message": {"role": "assistant", "content": "x" * (MOST_REPLY + 1)}}]}).encode()
EVENT = b'data: {"choices": [{"delta": {"content": "' + b"x" * 1_000_000 + b'"}}]}\n\n'


@pytest.mark.parametrize(
    ("body", "headers", "kind"),
    [
        (gzip.compress(LONG), "content-encoding: gzip\r\n", "application/json"),
        (EVENT * (MOST_REPLY // 1_000_000 + 2), "", "text/event-stream"),
    ],
    ids=["compressed", "a stream"],
)
def test_oversized_reply_is_refused(body: bytes, headers: str, kind: str) -> None:
    """A reply that is too long fails with a clear error and is billed at most the requested tokens."""
    error, _ = talk(lambda _: (200, body), lambda model: model.complete(asked()), headers, kind)
    assert type(error) is ProviderDown
    assert f"longer than {MOST_REPLY >> 20} MiB" in str(error)
    assert error.usage.output <= asked().max_tokens
