"""Only bot/stored knows the stored formats."""

import re
from pathlib import Path

from bot.stored import markers, reviews, states

HOUSE = Path(__file__).parents[2] / "bot"
READERS = Path(reviews.__file__).parent
MOST_LINES = 350  # of the module that reads stored reviews
# Strings that identify a stored review, a state and a marker, and the one module that writes reviews.
SIGNS = ("schema_version", "deeprepo-state", "<!-- deeprepo:")
WRITER = HOUSE / "outputs" / "json_file.py"


def test_only_one_module_parses_stored_formats() -> None:
    """No other module contains the strings in SIGNS; the JSON output only writes them."""
    paths = [path for path in HOUSE.rglob("*.py") if READERS not in path.parents and path != WRITER]
    assert len(paths) > 400
    assert [path for path in paths if any(sign in path.read_text(encoding="utf-8") for sign in SIGNS)] == []
    assert "json.loads" not in WRITER.read_text(encoding="utf-8")


# Every other module that parses JSON, and what it parses. STORED_ELSEWHERE lists the other stored formats.
JSON_FROM_ELSEWHERE = {
    "action/event.py": "GitHub's event",
    "analyzers/linters.py": "a linter's report",
    "analyzers/type_checkers/ty.py": "a checker's report",
    "app/webhook.py": "GitHub's delivery",
    "config/other_reviewers/formats.py": "another reviewer's settings",
    "config/reference.py": "our own schema",
    "findings/sarif_results.py": "SARIF of other tools",
    "github/responses.py": "GitHub's answer",
    "machine/extras.py": "pip's note about an installation",
    "render/disarm.py": "a text in the change",
    "render/sandbox.py": "the process that renders a template",
    "review/context/consumer_code.py": "values of this process, made plain",
    "review/context/data_files.py": "a file of the change",
}
STORED_ELSEWHERE = {
    "analyzers/type_checkers/checker.py": "facts under a hash of the code that found them",
    "checkout/kept_searches.py": "facts under a hash of the code that found them",
    "config/server.py": "the App's credentials, which are named as GitHub names them",
    "workflow/jobs/asks.py": "a job",
    "workflow/jobs/runner.py": "a job's steps, which their jobs read back or give up",
}


def test_every_module_that_parses_json_is_listed() -> None:
    """Only bot/stored parses stored reviews, states and agents' rounds."""
    parse = re.compile(r"\bjson\.loads?\b|\bmsgspec\.json\b|validate_json")
    found = {
        path.relative_to(HOUSE).as_posix()
        for path in HOUSE.rglob("*.py")
        if READERS not in path.parents and parse.search(path.read_text(encoding="utf-8"))
    }
    assert found == JSON_FROM_ELSEWHERE.keys() | STORED_ELSEWHERE.keys()


def test_stored_review_parser_stays_within_its_line_limit() -> None:
    """The reader is one module."""
    assert len(Path(reviews.__file__).read_text(encoding="utf-8").splitlines()) <= MOST_LINES


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
