"""The small readings of a failed answer."""

import pytest

from bot.models.failures import HttpFailure, read, retry_after, seconds_of


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "Thu, 01 Jan 2015 11:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    """The wait is seconds, milliseconds or a date; anything else is no wait."""
    assert retry_after(headers) == seconds


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"error": {"message": "m", "code": "c", "param": "p"}}, HttpFailure(400, "m", "c", "p")),
        ({"message": "m", "type": "t"}, HttpFailure(400, "m", "t")),
        ([{"error": {"code": 400, "message": "m", "status": "INVALID"}}], HttpFailure(400, "m")),
        ("plain text", HttpFailure(400, "plain text")),
        (None, HttpFailure(400)),
    ],
)
def test_bodies_of_errors(body: object, refusal: HttpFailure) -> None:
    """Every provider's form of an error is read, and none at all too."""
    assert read(400, body, {}) == refusal


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6m0s", 360.0),
        ("1h2m3s", 3723.0),
        ("120ms", 0.12),
        ("7.66s", 7.66),
        ("20 seconds", 20.0),
        ("soon", None),
        ("", None),
    ],
)
def test_times(text: str, seconds: float | None) -> None:
    """Durations as the providers write them."""
    assert seconds_of(text) == (None if seconds is None else pytest.approx(seconds))


def test_times_in_bodies() -> None:
    """Google names the wait in the details of its error, OpenAI in a sentence."""
    google = {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED"}
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.07s"}
    assert read(429, [{"error": {**google, "details": [detail]}}], {}).retry_after == 34.07
    assert read(429, {"error": {"message": "Please try again in 1m2s. Visit"}}, {}).retry_after == 62.0
    assert read(429, {"error": {"message": "try again later"}}, {}).retry_after is None
