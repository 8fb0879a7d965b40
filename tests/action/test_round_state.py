"""The state of a round in the summary comment: what comes back, and what is refused."""

import base64
import json
import random
import re
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.findings import earlier
from bot.outputs import json_file, marker, posts, state
from bot.outputs.markdown import MOST_BYTES
from bot.values import (
    ChangedFile,
    CheckedFile,
    Cost,
    Coverage,
    CoverageRow,
    Earlier,
    Evidence,
    FailedAnswer,
    Finding,
    Mark,
    PlacedFinding,
    PullRef,
    PullRequest,
    Review,
    Round,
    Source,
)

PULL = PullRef(1, 7, "acme", "shop", 3)
KEY = state.secret("sk-a-pretended-key-of-some-length")
FINDING = Finding(
    "a.py", "x = 1", "One", "why", "so", "high", "logic", (Source("model", "a/b", "worker"),), start=3, end=3, fingerprint="f1",
    evidence=(Evidence("b.py", "y", 2),),
)  # fmt: skip
REVIEW = Review(
    PullRequest("T", "", "a" * 40, "b" * 40, "main", "f", "/nowhere"),
    (ChangedFile("a.py", "a.py", "modified"),),
    "fanout",
    "why",
    (PlacedFinding(FINDING, "inline"), PlacedFinding(replace(FINDING, fingerprint="f2", status="still"))),
    Coverage((CoverageRow("unit", "a.py", "f", "reviewed"), CoverageRow("dependent", "b.py", "b.py", "reviewed"))),
    Cost(),
    1.0,
    summary="What it does.",
    read=(Mark("a.py:f", "0" * 20, "worker a/b", model=True),),
    round=Round(2),
)


def body(line: str) -> str:
    return f"{marker.make('summary')}\n{line}\n## deeprepo"


def raw(data: bytes, sign: str = "-") -> str:
    return body(f"<!-- deeprepo-state:1:{sign}:{base64.b64encode(zlib.compress(data)).decode()} -->")


def test_what_the_next_round_reads_comes_back_whole() -> None:
    """As from the JSON output itself, also where GitHub hands the comment back with other line ends."""
    told = earlier.read(json_file.render(REVIEW).encode())
    packed = body(state.pack(REVIEW, PULL, KEY))
    for text in (packed, packed.replace("\n", "\r\n")):
        found = state.unpack(text, PULL, KEY)
        assert isinstance(found, bytes)
        assert earlier.read(found) == told


def test_it_is_the_second_line_of_the_summary_and_cannot_end_it() -> None:
    """One hidden line, which the run's own marker leaves where it is."""
    said = posts.comments(REVIEW, lambda done: state.pack(done, PULL, KEY)).summary.split("\n")
    assert marker.read(said[0])
    assert re.fullmatch(r"<!-- deeprepo-state:1:[0-9a-f]{64}:[A-Za-z0-9+/=]+ -->", said[1])


def test_without_a_secret_it_leaves_nothing_unread() -> None:
    """Anybody could have made it: what was said is known again, what was read is read again."""
    found = state.unpack(body(state.pack(REVIEW, PULL, None)), PULL, None)
    assert isinstance(found, bytes)
    read = earlier.read(found)
    assert not isinstance(read, str)
    assert (read.marks, read.dependents, len(read.findings)) == ((), (), 2)

    forged = json.loads(state.unpack(body(state.pack(REVIEW, PULL, KEY)), PULL, KEY))
    again = state.unpack(raw(json.dumps(forged).encode()), PULL, None)
    assert isinstance(again, bytes)
    assert json.loads(again)["read"] == []


@pytest.mark.parametrize(
    ("pull", "key"),
    [(replace(PULL, number=4), KEY), (PULL, state.secret("another key, just as long")), (PULL, None)],
    ids=["another pull request's", "another key's", "signed, and there is no key"],
)
def test_a_state_of_somebody_else_is_foreign(pull: PullRef, key: bytes | None) -> None:
    """The signature holds the pull request and needs the key."""
    assert state.unpack(body(state.pack(REVIEW, pull, key)), PULL, KEY) == state.FOREIGN


def test_what_is_not_signed_is_foreign_to_who_has_a_key() -> None:
    """A workflow that has a key never builds upon a state without a signature."""
    assert state.unpack(raw(b"{}"), PULL, KEY) == state.FOREIGN


def test_one_of_an_older_version_that_did_not_fit_says_so() -> None:
    """That version wrote that there was no room, and nothing else."""
    assert "did not fit" in str(state.unpack(body("<!-- deeprepo-state:too-large -->"), PULL, KEY))


def test_summary_and_state_fit_into_one_comment() -> None:
    """However much there is to say."""
    marks = tuple(Mark(f"a.py:f{n}", f"{n * 7919:020x}", "worker a/b") for n in range(1_500))
    long = tuple(
        PlacedFinding(replace(FINDING, why="w " * 900, fingerprint=f"{n * 104729:x}"), "outside") for n in range(60)
    )
    kept = state.pack(replace(REVIEW, read=marks, findings=long), PULL, KEY)
    said = posts.comments(replace(REVIEW, read=marks, findings=long), lambda _: kept).summary
    assert len(kept) > 10_000
    assert 30_000 < len(said.encode()) < MOST_BYTES + 1_000
    assert kept in said


def test_what_is_worth_most_always_fits() -> None:
    """First goes what only saves reading, then what is least severe, and where that is left out the state says so."""
    dice = random.Random(5)  # noqa: S311 - no secret of anybody
    noise = tuple(dice.randbytes(100).hex() for _ in range(900))
    secret = replace(
        FINDING,
        status="still",
        category="secret",
        fingerprint="s",
        sources=(Source("analyser", "secrets", proof="key 1"),),
    )
    row = FailedAnswer("check", CheckedFile("a.py", "failed", "It lacks @guarded."), "0" * 40)
    files = tuple(ChangedFile(f"n/{name}.py", f"n/{name}.py", "added") for name in noise)
    lasting = replace(REVIEW, files=files, failed_answers=(row,), findings=(*REVIEW.findings, PlacedFinding(secret)))
    read = _read(lasting)
    assert (read.files, read.loss) == ((), "")
    assert (len(read.findings), read.failed_answers) == (3, (row,))
    many = tuple(
        PlacedFinding(replace(FINDING, why=name, fingerprint=name, severity="low"), "folded") for name in noise
    )
    read = _read(replace(lasting, findings=(*many, PlacedFinding(secret))))
    assert secret.fingerprint in {one.fingerprint for one in read.findings}
    assert (read.failed_answers, read.loss) == ((row,), state.LOSS)
    assert 10 < len(read.findings) < 900


def test_what_is_packed_can_be_unpacked() -> None:
    """However well a state compresses: the next round unpacks so many bytes and no more."""
    files = tuple(ChangedFile(f"{n}/{'d' * 4000}.py", f"{n}.py", "added") for n in range(2_400))
    read = _read(replace(REVIEW, files=files))
    assert len(read.findings) == 2
    assert len(state.store(json_file.content(replace(REVIEW, files=files)))) < 10_000


def test_without_a_key_a_signed_state_is_as_good_as_none_signed() -> None:
    """A run for a fork has no key: what was reported stands, and what saves reading does not count."""
    row = FailedAnswer("check", CheckedFile("a.py", "failed", "It lacks @guarded."), "0" * 40)
    found = state.unpack(body(state.pack(replace(REVIEW, failed_answers=(row,)), PULL, KEY)), PULL, None)
    assert isinstance(found, bytes)
    read = earlier.read(found)
    assert isinstance(read, Earlier)
    assert (read.marks, len(read.findings), read.is_attested) == ((), 2, False)
    assert [(one.check, one.file.reason) for one in read.failed_answers] == [("check", "")]


def _read(review: Review) -> Earlier:
    line = state.pack(review, PULL, KEY)
    assert len(line) <= state.MOST + 200
    found = state.unpack(body(line), PULL, KEY)
    assert isinstance(found, bytes), found
    read = earlier.read(found)
    assert isinstance(read, Earlier)
    return read


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
        b'{"pull": {"base": "' + b"a" * 40 + b'", "head": "' + b"b" * 40 + b'"}, "round": {"number": 9999999}}',
        b" " * (9 << 20),
    ],
    ids=["nothing", "a list", "broken", "deep", "an option", "a name", "endless", "a huge round", "a bomb"],
)
def test_what_is_forged_is_damaged(data: bytes) -> None:
    """Where nothing is signed, too, no name reaches git and no bomb the memory."""
    assert state.unpack(raw(data), PULL, None) == state.DAMAGED


@given(st.text(max_size=300) | st.binary(max_size=300).map(lambda data: base64.b64encode(data).decode()))
def test_no_text_makes_it_fail(text: str) -> None:
    """Whatever stands where a state should: a reason."""
    for line in (text, f"<!-- deeprepo-state:{text} -->", f"<!-- deeprepo-state:1:-:{text} -->"):
        assert isinstance(state.unpack(body(line), PULL, KEY), str)
        found = state.unpack(body(line), PULL, None)
        assert isinstance(found, str)


LINE = state.pack(REVIEW, PULL, KEY)


@given(st.integers(5, len(LINE) - 5), st.characters(codec="utf-8"))
def test_no_sign_of_it_can_be_changed(at: int, sign: str) -> None:
    """A state with one character replaced is refused."""
    changed = LINE[:at] + sign + LINE[at + 1 :]
    if changed != LINE:
        assert isinstance(state.unpack(body(changed), PULL, KEY), str)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)
GOOD = json.loads(state.unpack(body(LINE), PULL, KEY))


@given(st.sampled_from(sorted(GOOD)), JSON)
def test_no_field_of_it_makes_the_reader_fail(name: str, value: object) -> None:
    """A state that nobody signed, with any of its fields replaced by anything: an earlier review, or a reason."""
    found = state.unpack(raw(json.dumps({**GOOD, name: value}).encode()), PULL, None)
    assert isinstance(found, str) or earlier.read(found)
