"""Errors in both dialects: one request each, the right error type, and no secrets in the error."""

import logging
import traceback

import pytest
from talking import ASKED, KEY, asked, dialects, talk
from waits import patience

from deeprepo.rlm.errors import (
    AccountRefused,
    ModelRefused,
    ProviderDown,
    ProviderError,
    ProviderRefused,
    QuotaExhausted,
    RateLimited,
    TimedOut,
)
from deeprepo.rlm.models.failures import Refusal, inside, translate
from deeprepo.rlm.values import Model
from deeprepo_sandbox.providers import Reply, Server


def failure(name: str, reply: Reply, timeout: float = 20) -> tuple[ProviderError, int]:
    """Return the error that one call raises, and the number of requests."""

    async def use(model: Model, server: Server) -> tuple[ProviderError, int]:
        with pytest.raises(ProviderError) as caught:
            await model.complete(asked())
        return caught.value, server.count

    return talk(name, reply, use, timeout=timeout)


@dialects
@pytest.mark.parametrize("status", [429, 529])
def test_rate_limit_has_the_delay_from_the_provider(name: str, status: int) -> None:
    """A 429 or 529 raises RateLimited with the provider's delay, after one request."""
    error, requests = failure(name, Reply(status=status, retry_after="7"))
    assert isinstance(error, RateLimited)
    assert (error.retry_after, requests) == (7.0, 1)


@dialects
@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=500),
        Reply(status=503),
        Reply(fault="drop"),
        Reply(fault="truncate"),
        Reply(fault="hang"),
        Reply(status=408),
    ],
    ids=["500", "503", "dropped", "truncated JSON", "no answer", "408"],
)
def test_provider_and_network_failures_are_retryable(name: str, reply: Reply) -> None:
    """Failures on the provider's side or in the network raise ProviderDown or TimedOut, after one request."""
    error, requests = failure(name, reply, timeout=0.2 if reply.fault == "hang" else patience(20))
    assert (type(error), requests) == (TimedOut if reply.fault == "hang" else ProviderDown, 1)


@dialects
@pytest.mark.parametrize(
    ("reply", "sentence", "kind"),
    [
        (Reply(status=401), "refused the key", AccountRefused),
        (Reply(status=403), "refused the key", ModelRefused),
        (Reply("API key not valid. Please pass a valid API key.", status=400), "refused the key", AccountRefused),
        (Reply(status=404), "does not know the model", ModelRefused),
        (Reply("The model `x` does not exist", status=400), "does not know the model", ModelRefused),
        (Reply("Your credit balance is too low", status=400), "no credit left", QuotaExhausted),
        (Reply(status=402), "no credit left", QuotaExhausted),
        (Reply("quota", status=429, error="insufficient_quota"), "no credit left", QuotaExhausted),
        (Reply(status=307), "redirects", AccountRefused),
        (Reply(status=407), "the proxy refuses the connection", AccountRefused),
    ],
)
def test_permanent_errors_suggest_a_fix(name: str, reply: Reply, sentence: str, kind: type[ProviderRefused]) -> None:
    """Errors distinguish between a refused request, model and account, and each suggests a fix."""
    error, requests = failure(name, reply)
    assert (type(error), requests) == (kind, 1)
    assert sentence in str(error)
    assert any(f". {verb} " in str(error) for verb in ("Check", "Add", "Configure"))


@dialects
@pytest.mark.parametrize("status", [307, 400, 401, 404, 413, 429, 500, 529])
def test_errors_contain_no_secrets(name: str, status: int) -> None:
    """Neither the key nor the prompt is in an error or its traceback, even if the provider repeats them."""
    error, _ = failure(name, Reply(f"bad {KEY} and {ASKED}", status=status, error=KEY, param=ASKED))
    shown = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
    assert not any(secret in shown for secret in (KEY, ASKED, "Authorization"))


@dialects
def test_logs_and_repr_contain_no_secrets(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """Debug logs, the model's repr and its attributes contain neither the key nor the prompt."""
    caplog.set_level(logging.DEBUG)

    async def use(model: Model, _: Server) -> str:
        await model.complete(asked())
        return f"{model!r} {vars(model)}"

    shown = talk(name, "ok", use)
    assert KEY not in shown + caplog.text
    assert ASKED not in shown + caplog.text


def own(message: str, status: int = 500) -> str:
    """Return the error message for a refusal with these words."""
    return str(translate(Refusal(status, message), "compatible/m"))


@pytest.mark.parametrize("status", [400, 500, 502])
@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("insufficient balance (1008)", "no credit left"),
        ("Sorry, your account balance is insufficient", "no credit left"),
        ("余额不足或无可用资源包,请充值。", "no credit left"),
        ("用户额度不足, 剩余额度: 0", "no credit left"),
        ("Billing hard limit has been reached", "usage limit"),
        ("Your project has exceeded its monthly spending cap.", "usage limit"),
        ("Budget has been exceeded! Current cost: 10.2, Max budget: 10.0", "usage limit"),
        ("You have reached your specified API usage limits. You will regain access on 2026-12-01.", "usage limit"),
        ("This credential is only authorized for use with another tool.", "for another program"),
        ("Model does not exist. Please check it carefully.", "does not know the model"),
        ("当前分组 default 下对于模型 gpt-4 无可用渠道", "does not know the model"),
        ("model requires more system memory (25.2 GiB) than is available (11.7 GiB)", "too little memory"),
        ("No models loaded. Please load a model in the developer page.", "no model loaded"),
        ("No connected db.", "refused the key"),
    ],
)
def test_reason_in_the_body_overrides_the_status(message: str, words: str, status: int) -> None:
    """Gateways and local servers use any status for any reason. The error quotes the server."""
    assert words in own(message, status)
    assert message.rstrip(".")[:40] in own(message, status)


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ({"code": 20012, "message": "Model does not exist. Please check it carefully."}, 200),
        ({"error": {"code": 404, "message": "The model does not exist."}}, 404),
    ],
)
def test_error_reports_only_a_status_that_was_sent(reply: dict[str, object], status: int) -> None:
    """The error has the status from the body, or else the actual one, for users to find in server logs."""
    assert f"(status {status})" in str(translate(inside(reply), "compatible/m"))


@dialects
def test_prompt_refused_in_every_format_costs_few_requests(name: str) -> None:
    """Fallback formats are tried one by one, not in all combinations, so few requests are sent."""
    error, requests = failure(name, Reply("not today", status=400))
    assert isinstance(error, ProviderRefused)
    assert requests <= 6
    assert error.requests == requests
