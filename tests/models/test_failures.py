"""The small readings of a failed answer."""

import pytest

from bot.models.failures import HttpFailure, read, retry_after


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
