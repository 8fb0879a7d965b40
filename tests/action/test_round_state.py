"""The review state in the summary comment: what is restored from it, and what is refused."""

import base64
import random
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.outputs import json_file, posts
from bot.outputs.markdown import MAX_COMMENT_BYTES
from bot.stored import markers, reviews, states
from bot.values import (
    Basis,
    ChangedFile,
    Coverage,
    CoverageRow,
    EarlierReview,
    Evidence,
    Finding,
    PlacedFinding,
    PullRequest,
    ReadUnit,
    Review,
    Round,
    Source,
    StrategyChoice,
)
from deeprepo.rlm.values import Cost
from tests.findings_changed import changed

FINDING = Finding(
    "a.py", "x = 1", "One", "why", "so", "high", "logic", Basis((Source("model", "a/b", "worker"),)), start=3, end=3, fingerprint="f1",
    evidence=(Evidence("b.py", "y", 2),),
)  # fmt: skip
REVIEW = Review(
    PullRequest("T", "", "a" * 40, "b" * 40, "main", "f", "/nowhere"),
    (ChangedFile("a.py", "a.py", "modified"),),
    StrategyChoice("parts", "why"),
    (PlacedFinding(FINDING, "inline"), PlacedFinding(changed(FINDING, fingerprint="f2", status="still"))),
    Coverage((CoverageRow("unit", "a.py", "f", "reviewed"),)),
    Cost(),
    1.0,
    summary="What it does.",
    round=Round(2, read=(ReadUnit("a.py:f", "0" * 20, "worker a/b", model=True),)),
)


def pack(review: Review) -> str:
    return states.pack(json_file.content(review))


def body(line: str) -> str:
    return f"{markers.make('summary')}\n{line}\n## deeprepo"


def raw(data: bytes) -> str:
    return body(f"<!-- deeprepo-state:{base64.b64encode(zlib.compress(data)).decode()} -->")


def test_state_round_trips_through_the_summary() -> None:
    """The state equals that of the JSON output, even if GitHub changes the line endings."""
    told = reviews.earlier(json_file.render(REVIEW).encode())
    packed = body(pack(REVIEW))
    for text in (packed, packed.replace("\n", "\r\n")):
        found = states.unpack(text)
        assert isinstance(found, bytes)
        assert reviews.earlier(found) == told


def test_summary_and_state_fit_into_one_comment() -> None:
    """A review with very many findings and code regions still fits into one comment."""
    marks = tuple(ReadUnit(f"a.py:f{n}", f"{n * 7919:020x}", "worker a/b") for n in range(1_500))
    long = tuple(
        PlacedFinding(replace(FINDING, why="w " * 900, fingerprint=f"{n * 104729:x}"), "outside") for n in range(60)
    )
    kept = pack(replace(REVIEW, round=replace(REVIEW.round, read=marks), findings=long))
    said = posts.comments(
        replace(REVIEW, round=replace(REVIEW.round, read=marks), findings=long), lambda _: kept
    ).summary
    assert len(kept) > 10_000
    assert 30_000 < len(said.encode()) < MAX_COMMENT_BYTES + 1_000
    assert kept in said


def test_newest_findings_are_dropped_last() -> None:
    """When space runs out, reused results go first, then the oldest findings, which would be found again."""
    dice = random.Random(5)  # noqa: S311 - not for security
    noise = tuple(dice.randbytes(100).hex() for _ in range(900))
    files = tuple(ChangedFile(f"n/{name}.py", f"n/{name}.py", "added") for name in noise)
    read = _read(replace(REVIEW, files=files))
    assert (read.files, len(read.findings), read.units) == ((), 2, REVIEW.round.read)
    many = tuple(PlacedFinding(changed(FINDING, why=name, fingerprint=name, status="still")) for name in noise)
    read = _read(replace(REVIEW, findings=(*REVIEW.findings, *many)))
    assert (read.units, read.findings[0].fingerprint) == ((), "f1")
    assert 10 < len(read.findings) < 900


def _read(review: Review) -> EarlierReview:
    line = pack(review)
    assert len(line) <= states.MAX_STATE_CHARS + 200
    found = states.unpack(body(line))
    assert isinstance(found, bytes), found
    return reviews.earlier(found)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{",
        b"[" * 100_000,
        b'{"pull": {"base": "--output=x", "head": "' + b"b" * 40 + b'"}, "round": {"number": 1}}',
        b'{"pull": {"base": "' + b"a" * 40 + b'", "head": "HEAD"}, "round": {"number": 1}}',
        b'{"pull": {"base": "' + b"a" * 40 + b'", "head": "' + b"b" * 40 + b'"}, "round": {"number": 1e999}}',
        b" " * (9 << 20),
    ],
    ids=["nothing", "a list", "broken", "deep", "an option", "a name", "endless", "a bomb"],
)
def test_forged_state_is_rejected(data: bytes) -> None:
    """No revision name reaches git, and no decompression bomb fills the memory."""
    assert states.unpack(raw(data)) == states.DAMAGED


@given(st.text(max_size=300) | st.binary(max_size=300).map(lambda data: base64.b64encode(data).decode()))
def test_parsing_never_raises_on_any_text(text: str) -> None:
    """Any text in the state's place gives a reason."""
    for line in (text, f"<!-- deeprepo-state:{text} -->", f"<!-- deeprepo-state:{text}= -->"):
        found = states.unpack(body(line))
        assert isinstance(found, str)
