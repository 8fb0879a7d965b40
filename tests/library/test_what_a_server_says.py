"""What a run learns from its server's replies: costs and accepted request formats."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import deeprepo

Body = dict[str, Any]
FINISH = "```python\nset_answer('done')\n```"


@contextmanager
def served(answer: Callable[[Body], tuple[int, Body]]) -> Iterator[tuple[str, list[Body]]]:
    """Start a chat completions server; yield its address and its requests."""
    seen: list[Body] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            status, body = answer(seen[-1])
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        server.shutdown()
        server.server_close()


def reply(**usage: object) -> Body:
    """Return a complete reply whose code ends the run."""
    message = {"role": "assistant", "content": FINISH}
    tokens = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": {**tokens, **usage}}


def ask_once(url: str, name: str) -> "deeprepo.Result":
    """Ask one question with a model of this name on the server."""
    return deeprepo.RLM(deeprepo.Model(name, base_url=url, api_key="k")).run("Q?", "text\n" * 9)


@pytest.mark.parametrize(
    ("usage", "usd"),
    [
        ({"cost": 0.0125}, 0.0125),
        ({"cost": 0.001, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.02}}, 0.021),
        ({"cost": -5.0}, None),
        ({}, None),
    ],
)
def test_openrouter_bill_is_used_as_the_cost(usage: Body, usd: float | None) -> None:
    """The dollars that OpenRouter reports are used, also for models without a list price."""
    with served(lambda _: (200, reply(**usage))) as (url, _):
        assert ask_once(url, "openrouter/nobody/unlisted").cost.usd == usd


def test_learned_request_format_is_kept_for_the_next_run() -> None:
    """The second run starts with the request format that the first run found."""

    def strict(body: Body) -> tuple[int, Body]:
        refusal = {"error": {"message": "Unsupported parameter: 'tools' is not supported."}}
        return (400, refusal) if "tools" in body else (200, reply())

    with served(strict) as (url, seen):
        assert ask_once(url, "compatible/m").answer == "done"
        first = len(seen)
        assert ask_once(url, "compatible/m").answer == "done"
        assert (first, len(seen)) == (2, 3)


def test_truncated_replies_suggest_a_larger_limit() -> None:
    """The note suggests raising `max_tokens`, and no request is repeated."""
    cut = reply()
    cut["choices"][0] |= {"finish_reason": "length", "message": {"role": "assistant", "content": "I think"}}
    with served(lambda _: (200, cut)) as (url, seen):
        model = deeprepo.Model("compatible/m", base_url=url, api_key="k", max_tokens=120)
        result = deeprepo.RLM(model, turns=3).run("Q?", "text")
        assert any("Raise its `max_tokens`" in note for note in result.notes)
        assert len(seen) == 4  # three turns and the final answer


def test_later_process_uses_the_accepted_request_format(tmp_path: Path) -> None:
    """Accepted request formats are stored in the cache folder, without the key or the address."""
    refused = {"error": {"message": "Unrecognized request argument supplied: stream_options"}}
    program = (
        "import sys, deeprepo; deeprepo.RLM(deeprepo.Model('compatible/m', sys.argv[1], sys.argv[2])).run('Q?', 'text')"
    )

    def answer(body: Body) -> tuple[int, Body]:
        return (400, refused) if "stream_options" in body else (200, reply())

    with served(answer) as (url, seen):
        for folder, requests in (("off", 2), ("off", 4), (str(tmp_path / "facts"), 6), (str(tmp_path / "facts"), 7)):
            env = {**os.environ, "DEEPREPO_CACHE": folder}
            subprocess.run([sys.executable, "-c", program, "secret-key", url], check=True, env=env)
            assert len(seen) == requests
    stored = b"".join(path.read_bytes() for path in (tmp_path / "facts").iterdir())
    assert b"asks_usage" in stored
    assert b"secret-key" not in stored
    assert url.encode() not in stored
