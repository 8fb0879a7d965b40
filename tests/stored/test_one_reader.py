"""Only bot/stored knows the stored formats."""

from pathlib import Path

from bot.stored import markers, reviews, states

HOUSE = Path(__file__).parents[2] / "bot"
READERS = Path(reviews.__file__).parent
MOST_LINES = 350  # of the module that reads stored reviews
# Strings that identify a stored review, a state and a marker, and the one module that writes reviews.
SIGNS = ("schema_version", "deeprepo-state", "<!-- deeprepo:")
WRITER = HOUSE / "outputs" / "json_file.py"


# Every other module that parses JSON, and what it parses. STORED_ELSEWHERE lists the other stored formats.
STORED_ELSEWHERE = {
    "analyzers/type_checkers/checker.py": "facts under a hash of the code that found them",
    "checkout/searches.py": "facts under a hash of the code that found them",
    "config/server.py": "the App's credentials, which are named as GitHub names them",
    "workflow/jobs/records.py": "a job",
    "workflow/jobs/runner.py": "a job's steps, which their jobs read back or give up",
}


def test_marker_in_a_newer_format_has_no_known_locations() -> None:
    """A newer build's comment is recognized, but the locations it is about are unknown."""
    newer = markers.make("finding", fingerprint="f1", also="f2", places="00aa11bb22cc33dd 0").replace('"2"', '"3"')
    marker = markers.read(newer)
    assert (marker.kind, marker.is_newer) == ("finding", True)
    assert marker.findings == (("f1", None), ("f2", None))


def test_state_from_another_build_is_not_reported_as_missing() -> None:
    """The summary has a state that this build cannot read."""
    body = '<!-- deeprepo:{"by": "0.3.0", "kind": "summary", "v": 1} -->\n<!-- deeprepo-state:1:-:AAAA -->\n## deeprepo'
    assert states.unpack(body) == states.OTHER_BUILD.format(by="0.3.0")
