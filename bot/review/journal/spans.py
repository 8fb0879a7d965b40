"""Export the journal's lines as OpenTelemetry spans, if an exporter is configured.

They follow the GenAI semantic conventions. The span `invoke_agent deeprepo` is the review. Below it is one
span per call (`chat MODEL`) and per block of a root (`execute_tool execute_python`). Spans contain names,
sizes, times and costs, but no prompts, replies or code.
"""

import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from deeprepo.rlm.journal.codec import Row
from deeprepo.rlm.values import provider_name

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

# The conventions' names for providers, where they differ from ours.
PROVIDERS = {"azure": "azure.ai.openai", "gemini": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai"}
EXPORT_SECONDS = 2  # an unreachable collector must not delay a review
NANO = 1_000_000_000


def exporting(endpoint: str | None) -> "Spans | None":
    """Return spans that are sent to this collector by OTLP over HTTP.

    Return None without an endpoint, or if the library is not installed.
    """
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
    """Turns journal lines into spans."""

    def __init__(self, provider: "TracerProvider") -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("deeprepo")
        self._review: Span | None = None

    def __call__(self, record: Row) -> None:
        """Process one line of the journal."""
        match record["kind"]:
            case "review":
                facts = {f"deeprepo.{name}": record["pull"][name] for name in ("base", "head")}
                facts |= {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "deeprepo"}
                facts["gen_ai.agent.version"] = record["version"]
                self._review = self._tracer.start_span("invoke_agent deeprepo", attributes=facts)
            case "strategy" if self._review is not None:
                self._review.set_attributes({"deeprepo.strategy": record["name"], "deeprepo.reason": record["reason"]})
            case "call":
                self._span(
                    f"chat {record['model'].partition('/')[2] or record['model']}", record["seconds"], _of_call(record)
                )
            case "turn":
                facts = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "execute_python"}
                facts |= {"deeprepo.turn": f"{record['run']}:{record['number']}", "deeprepo.outcome": record["outcome"]}
                failure = {"error.type": record["outcome"]} if record["error"] else {}
                self._span("execute_tool execute_python", record["seconds"], facts | failure)
            case "end" if self._review is not None:
                facts = {"deeprepo.findings": len(record["findings"]), "deeprepo.calls": record["cost"]["calls"]}
                facts |= {"deeprepo.usd": record["cost"]["usd"]} if record["cost"]["usd"] is not None else {}
                _end(self._review, facts | ({"error.type": record["fault"]} if record["fault"] else {}))
            case "closed":  # end the open span and export everything
                if self._review is not None and self._review.is_recording():
                    self._review.end()
                self._provider.shutdown()

    def _span(self, name: str, seconds: float, facts: Mapping[str, Any]) -> None:
        """Export a span that ends now and lasted `seconds`."""
        from opentelemetry.trace import SpanKind, set_span_in_context

        context = set_span_in_context(self._review) if self._review is not None else None
        kind, now = SpanKind.CLIENT if name.startswith("chat ") else SpanKind.INTERNAL, time.time_ns()
        _end(self._tracer.start_span(name, context, kind, start_time=now - int(seconds * NANO)), facts, now)


def _of_call(record: Row) -> dict[str, Any]:
    """Return the attributes that the conventions define for a request."""
    provider, model = provider_name(record["model"]), record["model"].partition("/")[2] or record["model"]
    facts: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDERS.get(provider, provider),
        "gen_ai.request.model": model,
        "deeprepo.role": record["role"],
    }
    if "reply" not in record:
        return {**facts, "error.type": record["error"].partition(":")[0]}
    token_names = ("input_tokens", "output_tokens", "cache_read.input_tokens", "cache_creation.input_tokens")
    facts |= {f"gen_ai.usage.{name}": n for name, n in zip(token_names, record["usage"], strict=True)}
    facts["gen_ai.response.finish_reasons"] = ["tool" if record["reply"]["calls"] else record["reply"]["stop"]]
    return facts | ({"deeprepo.usd": record["usd"]} if record["usd"] is not None else {})


def _end(span: "Span", facts: Mapping[str, Any], now: int | None = None) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attributes(dict(facts))
    if "error.type" in facts:
        span.set_status(StatusCode.ERROR)
    span.end(now)
