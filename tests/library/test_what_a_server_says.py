"""What a run learns from its server's replies: costs and accepted request formats."""

import json
import os
import subprocess
import sys
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


GATEWAY = """
import os, deeprepo
code = "```python\\nset_answer(str(len(llm_batch(['p'] * 60))))\\n```"
worker = deeprepo.Model("compatible/" + os.environ["MODEL"], base_url="http://ai-gateway.example.com/v1", api_key="k")
done = deeprepo.RLM(lambda _: code, worker, budget=float(os.environ["USD"])).run("q", "text")
usd = done.by_model[worker.name].usd
print(usd and round(usd, 2), *done.notes)
"""


@pytest.mark.parametrize(
    ("model", "cost", "budget", "usd", "requests"),
    [
        ("anthropic/claude-opus-5", 0.0, "0.20", "0.15", 1),
        ("nobody/unlisted", 0.05, "10.00", "3.0", 60),
        ("nobody/unlisted", 0.0, "5.00", "None", 1),
    ],
)
def test_gateway_at_a_public_address_does_not_escape_the_cap(
    model: str, cost: float, budget: str, usd: str, requests: int
) -> None:
    """A call costs what its reply says, or else the model's listed price. Without one, the highest price counts."""
    used = {"prompt_tokens": 15_000, "completion_tokens": 3_000, "total_tokens": 18_000, "cost": cost}
    with served(lambda _: (200, reply(**used))) as (url, seen):
        env = {**os.environ, "HTTP_PROXY": url.removesuffix("/v1"), "NO_PROXY": "", "MODEL": model, "USD": budget}
        ended = subprocess.run([sys.executable, "-c", GATEWAY], env=env, capture_output=True, text=True, check=True)
    assert (ended.stdout.split()[0], len(seen)) == (usd, requests), ended.stdout
    assert ("is unknown" in ended.stdout) == ("unlisted" in model)


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


LACKS: list[tuple[Body, str]] = [
    ({"message": {"content": None}}, "sent an empty reply"),
    (
        {"message": {"content": "Sure: "}, "finish_reason": "content_filter"},
        "was stopped by the provider's content filter",
    ),
    ({"message": {"content": None, "refusal": "I cannot"}}, "declined to answer"),
    ({"message": {"content": "", "reasoning_content": "Hm."}}, "sent only thinking"),
    (
        {"message": {"content": None, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f"}}]}},
        "called a tool",
    ),
    ({"message": {"content": "Sure: "}, "finish_reason": "length"}, "was cut off at"),
]


@pytest.mark.parametrize(("choice", "words"), LACKS, ids=[words for _, words in LACKS])
def test_missing_answer_of_a_worker_is_named(choice: Body, words: str) -> None:
    """The root's code and the notes say why no worker has answered."""

    def answer(body: Body) -> tuple[int, Body]:
        whole = reply()
        if body["model"] == "worker":
            whole["choices"][0] |= {"finish_reason": "stop"} | choice
        else:
            whole["choices"][0]["message"]["content"] = "```python\nset_answer(llm_query('?'))\n```"
        return 200, whole

    with served(answer) as (url, _):
        root, worker = (deeprepo.Model(f"compatible/{name}", base_url=url, api_key="k") for name in ("root", "worker"))
        done = deeprepo.RLM(root, worker).run("Q?", "text")
    assert done.answer.startswith("[worker error: ")
    assert words in done.answer
    assert any(words in note for note in done.notes)


@pytest.mark.parametrize(("choice", "words"), [LACKS[0], LACKS[3]])
def test_two_empty_replies_end_the_run(choice: Body, words: str) -> None:
    """A root whose replies have no text is told so, and its run ends after the second one."""
    empty = reply()
    empty["choices"][0] |= choice
    with served(lambda _: (200, empty)) as (url, seen):
        done = ask_once(url, "compatible/m")
    assert (done.outcome, len(seen)) == ("astray", 2)
    assert f"You {words}. There was no code" in seen[1]["messages"][-1]["content"]
    assert f"The root model was stopped after 2 replies without text. In the last one, it {words}." in done.notes


@pytest.mark.parametrize(("choice", "words"), LACKS[1:3])
def test_filtered_root_is_not_called_a_refusal(choice: Body, words: str) -> None:
    """The notes tell a root that declined from one that a content filter stopped."""
    stopped = reply()
    stopped["choices"][0] |= choice
    with served(lambda _: (200, stopped)) as (url, _):
        done = ask_once(url, "compatible/m")
    assert (done.outcome, done.notes[0][: 16 + len(words)]) == ("declined", f"The root model {words}.")
