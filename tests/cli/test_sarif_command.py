import json
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from families import few
from recorded import deeprepo
from unprompted import unprompted

BEFORE = {"src/app.js": "let a = 1;\nlet old = eval(a);\n", "README.md": "x\n"}
AFTER = {"src/app.js": "let a = 1;\nlet old = eval(a);\nlet b = eval(location.hash);\n"}
ROOT = "file:///home/runner/work/shop/shop/"


def located(uri: str, line: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - parts of SARIF
    """Return a result of rule `eval` at this location."""
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
    return {"ruleId": "eval", "message": {"text": "eval is unsafe"}, "locations": [{"physicalLocation": place}], **more}


def log(*results: dict[str, Any], **run: Any) -> str:  # noqa: ANN401 - parts of SARIF
    """Return a SARIF file with one run of a tool named Semgrep."""
    rule = {"id": "eval", "shortDescription": {"text": "Code from text"}, "properties": {"security-severity": "8.1"}}
    tool = {"driver": {"name": "Semgrep", "rules": [rule]}}
    return json.dumps({"version": "2.1.0", "runs": [{"tool": tool, "results": list(results), **run}]})


@pytest.fixture
def changed(repository: Repository) -> Repository:
    """Return a repository whose last commit adds one line."""
    repository.commit(BEFORE, "before")
    repository.commit(AFTER, "after")
    return repository


def review(
    repository: Repository, tmp_path: Path, *texts: str, base: str = ""
) -> tuple[int, list[dict[str, Any]], str]:
    """Return the exit code, the findings from Semgrep, and standard error."""
    arguments = ["review", "HEAD~1..HEAD", "--strategy", "offline", "--format", "json", "--fail-on", "high"]
    for at, text in enumerate(texts):
        (tmp_path / f"{at}.sarif").write_text(text)
        arguments += ["--sarif", str(tmp_path / f"{at}.sarif")]
    if base:
        (tmp_path / "base.sarif").write_text(base)
        arguments += ["--sarif-base", str(tmp_path / "base.sarif")]
    done = deeprepo(*arguments, cwd=repository.folder)
    found = json.loads(done.stdout)["findings"] if done.stdout else []
    return done.returncode, [one for one in found if "Semgrep" in one["source"]], done.stderr


def test_result_on_an_added_line_is_reported_as_a_finding(changed: Repository, tmp_path: Path) -> None:
    """A result names its tool and rule and counts for --fail-on; one on an old line is omitted."""
    results = (located("src/app.js", 3, level="error"), located("src/app.js", 2, level="error"))
    code, found, _ = review(changed, tmp_path, log(*results))
    assert code == 1
    assert [(one["source"], one["rule"], one["start"], one["severity"], one["category"]) for one in found] == [
        ("Semgrep", "eval", 3, "high", "security")
    ]


@pytest.mark.parametrize(
    "place",
    [
        {"uri": f"{ROOT}src/app.js"},
        {"uri": "./src/app.js"},
        {"uri": "app.js", "uriBaseId": "SRC"},
        {"uri": "src%2Fapp.js", "uriBaseId": "%SRCROOT%"},
        {"uri": "src\\app.js"},
        {"index": 1},
    ],
)
def test_all_sarif_location_formats_are_understood(changed: Repository, tmp_path: Path, place: dict[str, Any]) -> None:
    """A location can be absolute, relative, with a base URI, or an artifact index."""
    result = located("", 3)
    result["locations"][0]["physicalLocation"]["artifactLocation"] = place
    bases = {"SRC": {"uri": "src/", "uriBaseId": "%SRCROOT%"}, "%SRCROOT%": {"uri": ROOT}}
    artifacts = [{"location": {"uri": "README.md"}}, {"location": {"uri": "src/app.js"}}]
    _, found, _ = review(changed, tmp_path, log(result, originalUriBaseIds=bases, artifacts=artifacts))
    assert [(one["path"], one["start"]) for one in found] == [("src/app.js", 3)]


@pytest.mark.parametrize(
    "result",
    few(
        [
            located("src/app.js", 3, suppressions=[{"kind": "inSource"}]),
            located("src/app.js", 3, baselineState="unchanged"),
            located("src/app.js", 3, kind="pass"),
            located("src/app.js", 3, level="none"),
            located("../src/app.js", 3),
            located("https://example.com/src/app.js", 3),
            located("src/app.js", 4_000_000_000),
            located("src/app.js", 99),
            {"locations": "src/app.js"},
            {},
        ],
        *range(0, 10, 4),
    ),
)
def test_suppressed_or_unlocatable_results_are_skipped(
    changed: Repository, tmp_path: Path, result: dict[str, Any]
) -> None:
    """Suppressed, unchanged, passed or unlocatable results are neither findings nor errors."""
    assert review(changed, tmp_path, log(result))[:2] == (0, [])


def test_baseline_state_from_the_tool_is_respected(changed: Repository, tmp_path: Path) -> None:
    """A new result counts even on an unchanged line; one that the base also has is never reported."""
    _, found, _ = review(changed, tmp_path, log(located("src/app.js", 2, baselineState="new")))
    assert [one["start"] for one in found] == [2]
    both = log(located("src/app.js", 2), located("src/app.js", 3))
    _, found, _ = review(changed, tmp_path, both, base=log(located("src/app.js", 2)))
    assert [one["start"] for one in found] == [3]
    assert review(changed, tmp_path, log(located("src/app.js", 3)), base=both)[1] == []


def test_duplicate_results_from_two_files_are_merged(changed: Repository, tmp_path: Path) -> None:
    """Duplicates are merged, even between tools, and the source names both."""
    text = log(located("src/app.js", 3))
    _, found, _ = review(changed, tmp_path, text, text.replace("Semgrep", "CodeQL"))
    assert [one["source"] for one in found] == ["Semgrep + CodeQL"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing", "is not JSON"),
        ("[" * 100_000, "is nested too deeply"),
        ('{"version": "2.0.0", "runs": []}', "is not SARIF 2.1.0"),
        ("[]", "is not SARIF 2.1.0"),
        ('{"version": "2.1.0", "runs": [{"results": [' + ",".join(["{}"] * 9) + "]}, 7, {}]}", ""),
        ('{"version": "2.1.0", "runs": [{"results": ["MANY"]}]}', "more than 100,000 results"),
    ],
    ids=["text", "deep", "old", "list", "odd", "many"],
)
def test_invalid_sarif_file_is_reported(changed: Repository, tmp_path: Path, text: str, said: str) -> None:
    """An invalid SARIF file is a usage error that names the reason, and no review runs."""
    many = ",".join([json.dumps(located("a", 1))] * 100_001) if "MANY" in text else ""
    code, _, error = review(changed, tmp_path, text.replace('"MANY"', many))
    assert (code, said in error) == (2 if said else 0, True)


def test_missing_sarif_file_is_reported(changed: Repository) -> None:
    """A missing SARIF file is an error before any work."""
    done = deeprepo("review", "HEAD~1..HEAD", "--strategy", "offline", "--sarif", "none.sarif", cwd=changed.folder)
    assert (done.returncode, "none.sarif cannot be read" in done.stderr) == (2, True)


def test_text_from_a_tool_is_escaped(changed: Repository, tmp_path: Path) -> None:
    """Markup, control characters and long texts from a tool are escaped or cut."""
    text = log(
        located("src/app.js", 3, level="error", message={"text": "<img src=x> [a](http://b) \u202e" + "long " * 5_000})
    )
    (tmp_path / "0.sarif").write_text(text)
    done = deeprepo(
        "review",
        "HEAD~1..HEAD",
        "--strategy",
        "offline",
        "--format",
        "markdown",
        "--sarif",
        str(tmp_path / "0.sarif"),
        cwd=changed.folder,
    )
    assert done.returncode == 0
    shown = unprompted(done.stdout)  # the prompt shows it as code, where it is harmless
    assert "<img" not in shown
    assert "](http://b)" not in shown
    assert "\u202e" not in done.stdout
    assert len(done.stdout) < 10_000
