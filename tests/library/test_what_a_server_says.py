"""What a run takes from its server's replies: the bill, and how the server wants to be asked."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import deeprepo

Body = dict[str, Any]
FINISH = "```python\nset_answer('done')\n```"


@contextmanager
def served(answer: Callable[[Body], tuple[int, Body]]) -> Iterator[tuple[str, list[Body]]]:
    """A server of chat completions, and the requests that it got."""
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
    """A whole reply whose code ends the run."""
    message = {"role": "assistant", "content": FINISH}
    tokens = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": {**tokens, **usage}}


def ask_once(url: str, name: str) -> "deeprepo.Result":
    """One question to a model of this name at the server."""
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
def test_openrouters_bill_is_what_a_call_costs(usage: Body, usd: float | None) -> None:
    """The dollars that OpenRouter reports are booked, also for a model that no price list has."""
    with served(lambda _: (200, reply(**usage))) as (url, _):
        assert ask_once(url, "openrouter/nobody/unlisted").cost.usd == usd


def test_what_was_learnt_about_a_server_is_kept_for_the_next_run() -> None:
    """The second run begins with the form of a request that the first one had to find."""

    def strict(body: Body) -> tuple[int, Body]:
        refusal = {"error": {"message": "Unsupported parameter: 'tools' is not supported."}}
        return (400, refusal) if "tools" in body else (200, reply())

    with served(strict) as (url, seen):
        assert ask_once(url, "compatible/m").answer == "done"
        first = len(seen)
        assert ask_once(url, "compatible/m").answer == "done"
        assert (first, len(seen)) == (2, 3)


def test_replies_that_are_all_cut_off_ask_for_a_larger_limit() -> None:
    """The note of a run whose model may write too little names `max_tokens`, and no request is sent twice."""
    cut = reply()
    cut["choices"][0] |= {"finish_reason": "length", "message": {"role": "assistant", "content": "I think"}}
    with served(lambda _: (200, cut)) as (url, seen):
        model = deeprepo.Model("compatible/m", base_url=url, api_key="k", max_tokens=120)
        result = deeprepo.RLM(model, turns=3).run("Q?", "text")
        assert any("Raise its `max_tokens`" in note for note in result.notes)
        assert len(seen) == 4  # three turns, and the last word
