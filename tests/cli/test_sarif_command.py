import json
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
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
