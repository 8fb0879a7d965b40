import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from bot.review.journal.record import finish
from bot.review.journal.spans import exporting
from bot.values import Coverage, PullRequest, Review, StrategyChoice
from deeprepo.rlm.journal import codec
from deeprepo.rlm.journal.codec import Start
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.values import Completion, Cost, Message, Observation, Prompt, Turn, Usage

PULL = PullRequest("A change", "", "b" * 40, "c" * 40, "main", "feature", "/repo/.git")
REVIEW = Review(PULL, (), StrategyChoice("rlm"), (), Coverage(), Cost(3, Usage(30, 15), 0.5), 1.0)
ASKED = Prompt((Message("user", "the secret plan"),))


@contextmanager
def collector() -> Iterator[tuple[str, list[Any]]]:
    """Start a local OTLP/HTTP receiver; yield its address and the received spans."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    spans: list[Any] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            raw = gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw
            assert self.path == "/v1/traces"
            for resource in ExportTraceServiceRequest.FromString(raw).resource_spans:
                spans.extend(span for scope in resource.scope_spans for span in scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", spans
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def recorded(journal: Journal) -> None:
    """Record a root's turn, which asks a worker and starts a child, and the end of the review."""
    journal.begin(Start(asdict(PULL), {}, "openai/big", "gemini/small", "1.0"))
    journal.put("strategy", name="rlm", reason="asked for")
    for role, model, at in (
        ("root", "openai/big", "root:1"),
        ("worker", "gemini/small", "root:1"),
        ("root", "openai/big", "root.1:1"),
        ("worker", "gemini/small", "root.1:1"),
    ):
        about = {"key": "k", "role": role, "model": model, "at": at}
        journal.request(ASKED, **about)
        reply = codec.reply(Completion("a reply", Usage()))
        journal.put("call", **about, usd=0.25, seconds=0.5, usage=[10, 5, 4, 0], reply=reply)
    failed = Turn(1, "secret code", Observation("", "NameError: x", "error"))
    for run, turn in (("root.1", failed), ("root", Turn(1, "more code", Observation("fine")))):
        journal.turn(codec.turn(run, turn, 0.0))
    about = {"key": "k", "role": "verify", "model": "openai/big", "at": ""}
    journal.put("call", **about, usd=0.0, seconds=0.1, error="ProviderDown: 502")
    finish(journal, REVIEW)
    journal.close()


def test_spans_follow_the_genai_conventions() -> None:
    """Spans follow the GenAI conventions for agents, calls and tools, without prompt or reply texts."""
    with collector() as (url, spans):
        recorded(Journal(watch=exporting(url)))
    by_id = {span.span_id: span for span in spans}
    facts = {span.span_id: {a.key: _value(a.value) for a in span.attributes} for span in spans}

    def told(span: Any) -> str:  # noqa: ANN401 - a message of the protocol
        parent = by_id.get(span.parent_span_id)
        return f"{told(parent)} / {span.name}" if parent else span.name

    top, block = "invoke_agent deeprepo", "execute_tool execute_python"
    calls_told = [f"{top} / chat {name}" for name in ("big", "big", "big", "small", "small")]
    assert sorted(map(told, spans)) == sorted([top, *calls_told, *[f"{top} / {block}"] * 2])
    calls = [facts[span.span_id] for span in spans if span.name == "chat small"]
    assert {call["gen_ai.provider.name"] for call in calls} == {"gcp.gemini"}
    assert [calls[0][f"gen_ai.usage.{name}"] for name in ("input_tokens", "cache_read.input_tokens")] == [10, 4]
    assert calls[0]["gen_ai.operation.name"] == "chat"
    failed = {span.name: facts[span.span_id]["error.type"] for span in spans if "error.type" in facts[span.span_id]}
    assert failed == {block: "error", "chat big": "ProviderDown"}
    (review,) = (facts[span.span_id] for span in spans if span.name == top)
    assert (review["gen_ai.agent.name"], review["deeprepo.strategy"], review["deeprepo.usd"]) == (
        "deeprepo",
        "rlm",
        0.5,
    )
    assert "secret" not in str(spans)
    call = next(span for span in spans if span.name == "chat small")
    assert call.end_time_unix_nano - call.start_time_unix_nano == 500_000_000


def test_no_spans_are_created_without_an_endpoint() -> None:
    """Without an endpoint, nothing is set up."""
    assert exporting(None) is None
    assert exporting("") is None


def test_unreachable_collector_does_not_disturb_the_review(capfd: pytest.CaptureFixture[str]) -> None:
    """The review ends normally, and nothing is printed."""
    recorded(Journal(watch=exporting("http://127.0.0.1:9")))
    assert capfd.readouterr() == ("", "")


def _value(value: Any) -> Any:  # noqa: ANN401 - a message of the protocol
    kind = value.WhichOneof("value")
    return [_value(item) for item in value.array_value.values] if kind == "array_value" else getattr(value, kind)
