import json
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from fakes import Repository

from bot import cli
from bot.config import repository as settings_file
from bot.config.other_reviewers import FORMATS, NewSettings, OldSettings

GEMINI = """
ignore_patterns: ["dist/**", "*.{snap,lock}"]
code_review:
  disable: false
  comment_severity_threshold: HIGH
  max_review_comments: 10
  pull_request_opened: {help: false, summary: false, code_review: true, include_drafts: true}
focus_areas: [security]
"""
CODERABBIT = """
language: de
tone_instructions: Be brief.
reviews:
  profile: assertive
  request_changes_workflow: true
  high_level_summary: true
  assess_linked_issues: false
  path_filters: ["src/**", "!**/gen/**", "!src/locales/!(en|de).json"]
  path_instructions:
    - {path: "src/**/*.{ts,tsx}", instructions: "No any."}
    - {path: "tests/**", instructions: "First line.\\nSecond line.\\n"}
  auto_review:
    enabled: true
    auto_incremental_review: false
    drafts: true
    base_branches: ["develop", "^release/"]
    labels: ["review", "!wip"]
    ignore_title_keywords: [WIP]
    ignore_usernames: ["renovate[bot]"]
  pre_merge_checks:
    title: {mode: "off"}
    custom_checks:
      - {name: guards, mode: error, instructions: Each endpoint has a guard.}
      - {name: quiet, mode: "off", instructions: Nothing.}
knowledge_base:
  code_guidelines: {enabled: true, filePatterns: [AGENTS.md, docs/own.md]}
"""
PR_AGENT = """
[config]
model = "gpt-5"
response_language = "fr"
ignore_pr_labels = ["skip"]
[ignore]
glob = ["vendor/**"]
regex = ['.*[.]key$']
[github_app]
pr_commands = ["/describe", "/review"]
handle_push_trigger = false
[pr_reviewer]
num_max_findings = 3
require_tests_review = true
extra_instructions = "Name the caller."
"""
GREPTILE = json.dumps(
    {
        "strictness": 3,
        "commentTypes": ["logic"],
        "triggerOnUpdates": True,
        "triggerOnDrafts": False,
        "disabledLabels": ["docs-only"],
        "excludeAuthors": ["dependabot[bot]"],
        "fileChangeLimit": 80,
        "ignorePatterns": "build/**\n*.min.js\n",
        "instructions": "Prefer small diffs.",
        "summarySection": {"included": False, "collapsible": True},
        "customContext": {
            "rules": [{"rule": "Money is in cents.", "scope": ["src/**", "lib/**"]}, {"content": "No secrets."}],
            "files": [{"path": "docs/style.md", "scope": ["**"]}],
        },
    }
)
FILES = {
    ".gemini/config.yaml": GEMINI,
    ".coderabbit.yaml": CODERABBIT,
    ".pr_agent.toml": PR_AGENT,
    "greptile.json": GREPTILE,
}
GUIDES = (
    ".gemini/styleguide.md",
    "best_practices.md",
    ".cursor/BUGBOT.md",
    "api/.cursor/BUGBOT.md",
    ".github/copilot-instructions.md",
    ".github/instructions/api.instructions.md",
)
ODD: tuple[Any, ...] = (None, 7, -1, True, "(x", "", [], {}, [7], [None], [{"path": []}], {"a": {"b": 1}}, "x" * 70_000)


def places(value: object, *above: str | int) -> Iterator[tuple[str | int, ...]]:
    """Yield the path to each value in a settings file, including lists and sections."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, one in inner:
        yield (*above, step)
        yield from places(one, *above, step)


def put(data: Any, place: tuple[str | int, ...], value: object) -> Any:  # noqa: ANN401 - any file's content
    inner = data
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return data


def unnamed(data: object, names: set[str]) -> list[str]:
    """Return the keys of single values that the report names neither alone nor as a part of a section."""
    keys = [".".join(map(str, place)) + "." for place in places(data)]
    named = tuple(f"{name}." for name in names)
    return [key for key in keys if not key.startswith(named) and sum(one.startswith(key) for one in keys) == 1]


def init(target: Repository, *words: str) -> int:
    return cli.main(["init", "--repo", str(target.folder), "--action", f"me/mine@{'a' * 40}", *words])


def written(target: Repository) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((target.folder / ".deeprepo.yml").read_text())
    return found


def test_other_reviewers_settings_are_converted(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """Each file is converted to equivalent settings that `deeprepo config` accepts."""
    for path, text in FILES.items():
        repository.commit({path: text}, path)
        (repository.folder / ".deeprepo.yml").unlink(missing_ok=True)
        assert init(repository, "--from", path) == 0
        assert cli.main(["config", "--repo", str(repository.folder)]) == 0
        found = written(repository)
        if path == ".gemini/config.yaml":
            assert found == {
                "minimum_severity": "high",
                "quota": 10,
                "triggers": {"drafts": True},
                "walkthrough": False,
                "ignore": ["dist/**", "*.snap", "*.lock"],
            }
        if path == ".coderabbit.yaml":
            assert found["triggers"] == {
                "events": ["opened", "reopened", "ready", "labeled"],
                "drafts": True,
                "branches": ["main", "master", "develop", "release/*"],
                "labels": ["review"],
                "skip_labels": ["wip"],
                "skip_authors": ["renovate[bot]"],
            }
            assert found["ignore"][:3] == ["*", "!src/**", "**/gen/**"]
            assert found["ignore"][3:] == ["src/locales/*.json", "!src/locales/en.json", "!src/locales/de.json"]
            guards = {"path": "*", "text": "Each endpoint has a guard.", "must": "fail", "name": "guards"}
            assert guards in found["instructions"]
            assert {"path": "tests/**", "text": "First line.\nSecond line."} in found["instructions"]
            assert [one["path"] for one in found["instructions"]] == [
                "*",
                "src/**/*.ts",
                "src/**/*.tsx",
                "tests/**",
                "*",
            ]
            assert (found["language"], found["request_changes"], found["linked_issues"]) == ("de", "low", False)
        if path == ".pr_agent.toml":
            assert (found["language"], found["quota"], found["ignore"]) == ("fr", 3, ["vendor/**"])
            assert found["triggers"] == {"skip_labels": ["skip"]}
        if path == "greptile.json":
            assert (found["minimum_severity"], found["walkthrough"]) == ("high", False)
            assert [one["path"] for one in found["instructions"]] == ["*", "src/**", "lib/**", "*"]
        capsys.readouterr()


def test_report_lists_every_key_and_file(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a name all files are found, and the report lists every key and every file used directly."""
    repository.commit(
        {**FILES, **dict.fromkeys(GUIDES, "---\napplyTo: api/**\n---\nCents.\n"), "src/a.py": "A = 1\n"}, "others"
    )
    assert init(repository, "--from") == 0
    told = capsys.readouterr().out
    names = {name for line in told.splitlines() if line.startswith("  ") for name in line.strip().split(", ")}
    for text, load in (
        (GEMINI, yaml.safe_load),
        (CODERABBIT, yaml.safe_load),
        (PR_AGENT, tomllib.loads),
        (GREPTILE, json.loads),
    ):
        assert unnamed(load(text), names) == []
    assert set(GUIDES) <= names
    assert "focus_areas\n    not converted; this command knows no setting that replaces it" in told
    assert "language\n    not converted; another file already set `language`" in told
    assert cli.main(["config", "--repo", str(repository.folder)]) == 0


@pytest.mark.parametrize("path", FILES)
def test_odd_values_never_produce_invalid_settings(path: str) -> None:
    """For odd values in any position, the converted settings are valid and the report names the key."""
    form = next(form for form in FORMATS if path in form.files)
    for at, place in enumerate(places(form.load(FILES[path]))):
        for odd in ODD[at % 6 :: 6]:
            data = put(form.load(FILES[path]), place, odd)
            new = NewSettings()
            old = OldSettings(data, new)
            form.read(old)
            names = {row.key for row in old.rows()}
            assert unnamed(data, names) == [], (place, odd)
            assert settings_file.check(new.text().encode())[1] == (), (place, odd)
