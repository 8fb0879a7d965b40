"""The journal's lines as OpenTelemetry spans, by the GenAI semantic conventions: where an exporter is set up, and only then.

review  invoke_agent deeprepo
└── the root's call            chat MODEL
└── the block that it wrote    execute_tool execute_python
    └── workers' calls, and the turns of a child, nested in the same way

Names, sizes, times and costs only: neither prompts nor replies nor code leave this machine by this way.
"""

import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bot.journal.codec import Row

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

# What the conventions call a provider, where it is not our own name for it.
PROVIDERS = {"azure": "azure.ai.openai", "gemini": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai"}
EXPORT_SECONDS = 2  # a collector that is away may not hold up a review
NANO = 1_000_000_000


def exporting(endpoint: str | None) -> "Spans | None":
    """Spans that go to this collector by OTLP over HTTP; None where none is named or the library is not installed."""
    if not endpoint:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:  # the extra `otel` is not installed
        return None
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # it would print tracebacks into the review
    provider = TracerProvider(resource=Resource.create({"service.name": "deeprepo"}), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=EXPORT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return Spans(provider)


class Spans:
    """Watches a journal. Satisfies `journal.Watch`."""

    def __init__(self, provider: "TracerProvider") -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("deeprepo")
        self._review: Span | None = None
        self._blocks: dict[str, Span] = {}  # the blocks that run: the run and turn -> its span, outermost first

    def __call__(self, row: Row) -> None:
        """One line of the journal."""
        match row["kind"]:
            case "review":
                self._begin(row)
            case "strategy" if self._review is not None:
                self._review.set_attributes({"deeprepo.strategy": row["name"], "deeprepo.reason": row["reason"]})
            case "call":
                self._call(row)
            case "turn":
                self._turn(row)
            case "end":
                self._end(row)

    def close(self) -> None:
        """End what is open and hand everything over."""
        for span in (*reversed(self._blocks.values()), self._review):
            if span is not None and span.is_recording():
                span.end()
        self._blocks.clear()
        self._provider.shutdown()

    def _begin(self, row: Row) -> None:
        facts = {f"deeprepo.{name}": row["pull"][name] for name in ("base", "head")}
        facts |= {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "deeprepo"}
        self._review = self._span("invoke_agent deeprepo", {**facts, "gen_ai.agent.version": row["version"]})

    def _call(self, row: Row) -> None:
        """A finished request: it began `seconds` ago. The root's reply is where its block begins."""
        provider, _, model = row["model"].partition("/")
        facts: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": PROVIDERS.get(provider, provider),
            "gen_ai.request.model": model,
            "deeprepo.role": row["role"],
        }
        if "reply" in row:
            token_names = ("input_tokens", "output_tokens", "cache_read.input_tokens", "cache_creation.input_tokens")
            facts |= {f"gen_ai.usage.{name}": n for name, n in zip(token_names, row["usage"], strict=True)}
            facts["gen_ai.response.finish_reasons"] = [row["reply"]["stop"]]
            facts |= {"deeprepo.usd": row["usd"]} if row["usd"] is not None else {}
        else:
            facts["error.type"] = row["error"].partition(":")[0]
        of_root, now = row["role"] == "root", time.time_ns()
        beside = row["at"] if of_root else ""
        span = self._span(f"chat {model}", facts, beside, now - int(row["seconds"] * NANO))
        _end_span(span, {}, now)
        if of_root and "reply" in row and ":" in row["at"]:
            block = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "execute_python"}
            self._blocks[row["at"]] = self._span(
                "execute_tool execute_python", {**block, "deeprepo.turn": row["at"]}, beside
            )

    def _turn(self, row: Row) -> None:
        span = self._blocks.pop(f"{row['run']}:{row['number']}", None)
        if span is not None:
            failure = {"error.type": row["outcome"]} if row["error"] else {}
            _end_span(span, {"deeprepo.outcome": row["outcome"], **failure})

    def _end(self, row: Row) -> None:
        if self._review is None:
            return
        cost = row["cost"]
        facts = {"deeprepo.findings": len(row["findings"]), "deeprepo.calls": cost["calls"]}
        facts |= {"deeprepo.usd": cost["usd"]} if cost["usd"] is not None else {}
        _end_span(self._review, facts | ({"error.type": row["fault"]} if row["fault"] else {}))

    def _span(self, name: str, facts: Mapping[str, Any], beside: str = "", start: int | None = None) -> "Span":
        """A span below the innermost block that runs. `beside`: the block next to which it stands, as the root's own call does."""
        from opentelemetry.trace import SpanKind, set_span_in_context

        parent = next((span for at, span in reversed(self._blocks.items()) if at != beside), self._review)
        context = set_span_in_context(parent) if parent is not None else None
        kind = SpanKind.CLIENT if name.startswith("chat ") else SpanKind.INTERNAL
        span: Span = self._tracer.start_span(name, context, kind, facts, start_time=start)
        if "error.type" in facts:
            _fail(span)
        return span


def _end_span(span: "Span", facts: Mapping[str, Any], now: int | None = None) -> None:
    span.set_attributes(dict(facts))
    if "error.type" in facts:
        _fail(span)
    span.end(now)


def _fail(span: "Span") -> None:
    from opentelemetry.trace import StatusCode

    span.set_status(StatusCode.ERROR)
