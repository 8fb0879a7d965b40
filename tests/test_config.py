import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from bot import config
from bot.config import Settings
from bot.errors import ConfigError
from bot.review.analyzer_worker import load_analyzer
from bot.values.shared_file import UnusableFile

NONE = Settings()


def test_registered_analyzers_run_by_default() -> None:
    """All analyzers run by default, under the names of their files."""
    resolved = config.resolve({}, None, NONE)
    assert [load_analyzer(name).NAME for name in resolved.analyzers] == list(resolved.analyzers)


def test_strongest_source_wins_and_is_shown() -> None:
    """Flags override the repository file, which overrides the environment and the defaults."""
    file = b"quota: 2\nstrategy: parts\nbudget: {usd: 0.5}\n"
    found = config.resolve({"quota": 1, "usd": None}, file, Settings(usd=9.0, worker="openai/x"))
    shown = {
        name: (getattr(found, name), found.origins[name]) for name in ("quota", "strategy", "usd", "worker", "seconds")
    }
    assert shown == {
        "quota": (1, "flag"),
        "strategy": ("parts", ".deeprepo.yml"),
        "usd": (0.5, ".deeprepo.yml"),
        "worker": ("openai/x", "environment"),
        "seconds": (900, "default"),
    }


# The operator's settings, the limit in the repository file, and the effective limit.
LOWERED = [
    ({"usd": 0.1}, "usd: 40", 0.1),
    ({"usd": 3.0}, "usd: 2", 2.0),
    ({}, "usd: 40", 1.0),
    ({"cap_usd": 5.0}, "usd: 40", 5.0),
    ({"cap_usd": 5.0}, "usd: 3", 3.0),
    ({"cap_usd": 5.0, "usd": 0.2}, "usd: 3", 0.2),
    ({"seconds": 20.0}, "seconds: 90000", 20.0),
    ({}, "seconds: 1800", 1800.0),
    ({}, "seconds: 1.0e+300", 3600.0),
    ({"seconds": 7200.0}, "seconds: 1.0e+300", 7200.0),
]


@pytest.mark.parametrize(("ours", "asked", "holds"), LOWERED)
def test_file_can_only_lower_a_limit(ours: dict[str, float], asked: str, holds: float) -> None:
    """The operator's limit and the default dollar limit are ceilings, and the origin names which applied."""
    found = config.resolve({}, f"budget: {{{asked}}}\n".encode(), Settings(**ours))
    name = asked.partition(":")[0]
    assert getattr(found, name) == holds
    assert ("lower than the" in found.origins[name]) == (float(asked.partition(":")[2]) != holds)


CAPPED = "DEEPREPO_CAP_USD, lower than the 1.00 from: default"
NO_AMOUNTS = ("nan", "inf", "-inf", "-5")


@pytest.mark.parametrize("number", NO_AMOUNTS)
@pytest.mark.parametrize("name", ["usd", "seconds"])
def test_invalid_amount_is_rejected_from_every_source(monkeypatch: pytest.MonkeyPatch, name: str, number: str) -> None:
    """Flags, the repository file and the environment all reject NaN, infinite and negative amounts."""
    with pytest.raises(ConfigError, match=rf"{name} \(flag\): write a "):
        config.resolve({name: float(number)}, None, Settings(cap_usd=0.5))
    of_yaml = number.replace("nan", ".nan").replace("inf", ".inf")
    of_file = config.resolve({}, f"budget: {{{name}: {of_yaml}}}\n".encode(), Settings(cap_usd=0.5))
    assert (name in of_file.warnings[0], of_file.origins[name]) in [(True, "default"), (True, CAPPED)]
    monkeypatch.setenv(f"DEEPREPO_{name.upper()}", number)
    with pytest.raises(ConfigError, match=f"DEEPREPO_{name.upper()}: write a"):
        config.environment()


def test_yaml_off_is_a_threshold() -> None:
    """A bare `off`, which YAML parses as false, turns the threshold off, and a key without a value is not set."""
    found = config.resolve({}, b"request_changes: off\nfail_on:\npause_after: 9\n", NONE)
    assert (found.request_changes, found.fail_on, found.pause_after, found.warnings) == ("off", None, 9, ())


def test_flag_overrides_the_limit_except_for_the_cap() -> None:
    """A flag overrides DEEPREPO_USD, and only DEEPREPO_CAP_USD limits it."""
    assert config.resolve({"usd": 5.0}, None, Settings(usd=0.1)).usd == 5.0
    found = config.resolve({"usd": 5.0}, None, Settings(usd=0.1, cap_usd=2.0))
    assert (found.usd, found.origins["usd"]) == (2.0, "DEEPREPO_CAP_USD, lower than the 5.00 from: flag")


FILE_MODELS = b"models: {root: a/dear, worker: b/mid}\nstrategy: rlm\n"
# Flags, operator settings, and the root, worker and strategy that apply with FILE_MODELS.
CHOSEN = [
    ({}, {}, ("a/dear", "b/mid", "rlm")),
    ({}, {"worker": "c/cheap"}, (None, "c/cheap", "rlm")),
    ({"worker": "c/cheap"}, {}, (None, "c/cheap", "rlm")),
    ({}, {"root": "b/mid", "worker": "c/cheap"}, ("b/mid", "c/cheap", "rlm")),
    ({}, {"worker": "c/cheap", "models": "a/*, b/mid"}, ("a/dear", "b/mid", "rlm")),
    ({}, {"worker": "c/cheap", "models": "b/*"}, (None, "b/mid", "rlm")),
    ({}, {"models": "c/*"}, (None, None, "rlm")),
    ({}, {"worker": "b/mid", "root": "a/dear"}, ("a/dear", "b/mid", "rlm")),
]


@pytest.mark.parametrize(("flags", "ours", "holds"), CHOSEN)
def test_model_choice_in_the_file_is_ignored_if_the_operator_chose(
    flags: dict[str, str], ours: dict[str, str], holds: tuple[str | None, ...]
) -> None:
    """If a flag or the operator chose models, the file's other choices are ignored, each with a warning."""
    found = config.resolve(flags, FILE_MODELS, Settings(**ours))
    assert (found.root, found.worker, found.strategy) == holds
    refused = [asked for asked, held in zip(("a/dear", "b/mid", "rlm"), holds, strict=True) if asked != held]
    assert len(found.warnings) == len(refused)
    assert bool(found.model_sentence()) == any(found.origins[n] == ".deeprepo.yml" for n in ("root", "worker"))


RULES = b"""
effort_for:
  - {paths: ["migrations/**"], effort: high}
  - {paths: ["docs/**", "*.md"], effort: none}
  - {label: Docs, effort: none}
  - {paths: ["api/**"], label: risky, effort: low}
"""


@pytest.mark.parametrize(
    ("base", "labels", "paths", "ours", "effort", "strategy"),
    [
        ("medium", (), ("shop/a.py",), {}, "medium", "auto"),
        ("low", (), ("shop/a.py", "migrations/1.sql"), {}, "high", "auto"),
        ("medium", (), ("docs/a.md", "README.md"), {}, "none", "offline"),
        ("medium", (), ("docs/a.md", "shop/a.py"), {}, "medium", "auto"),
        ("medium", ("docs",), ("shop/a.py",), {}, "none", "offline"),
        ("medium", ("docs",), ("shop/a.py", "migrations/1.sql"), {}, "high", "auto"),
        ("none", (), ("shop/a.py",), {}, "none", "offline"),
        ("none", ("risky",), ("api/a.py",), {}, "low", "auto"),
        ("none", (), ("api/a.py",), {}, "none", "offline"),
        ("none", (), ("migrations/1.sql",), {"effort": "low"}, "low", "auto"),
        ("medium", (), (), {}, "medium", "auto"),
    ],
)
def test_highest_effort_of_any_file_applies(
    base: str, labels: tuple[str, ...], paths: tuple[str, ...], ours: dict[str, str], effort: str, strategy: str
) -> None:
    """The highest effort of any file applies, up to the operator's. Files without an entry use `effort`."""
    found = config.resolve({}, f"effort: {base}\n".encode() + RULES, Settings(**ours))  # type: ignore[arg-type]
    decided = found.for_labels(labels).for_paths(paths)
    assert (decided.effort, decided.strategy) == (effort, strategy)
    assert ("effort_for" in decided.origins["effort"]) is (effort != found.effort)


def test_effort_flag_overrides_every_entry() -> None:
    """A flag overrides `effort_for`, the operator's `none` excludes models, and `--explain` shows entries."""
    assert config.resolve({}, RULES, Settings(effort="none")).strategy == "offline"
    assert config.resolve({"effort": "low"}, RULES, Settings()).for_paths(["migrations/1.sql"]).effort == "low"
    rows = {name: (value, origin) for name, value, origin in config.resolve({}, RULES, Settings()).rows()}
    assert rows["effort_for"][0].startswith("migrations/**: high, docs/**, *.md: none, Docs: none")
    assert rows["effort_for"][1] == ".deeprepo.yml"


@pytest.mark.parametrize(
    ("flags", "file", "ours", "effort", "strategy"),
    [
        ({}, b"", {}, "medium", "auto"),
        ({}, b"effort: high\n", {}, "high", "auto"),
        ({}, b"effort: high\n", {"effort": "low"}, "low", "auto"),
        ({}, b"effort: low\n", {"effort": "high"}, "low", "auto"),
        ({"effort": "high"}, b"effort: low\n", {"effort": "low"}, "high", "auto"),
        ({"effort": "low"}, b"strategy: rlm\n", {}, "low", "auto"),
        ({"effort": "low", "strategy": "rlm"}, b"", {}, "low", "rlm"),
        ({}, b"strategy: rlm\n", {"effort": "low"}, "low", "auto"),
        ({}, b"strategy: offline\n", {"effort": "high"}, "high", "offline"),
        ({}, b"effort: none\nstrategy: rlm\n", {}, "none", "offline"),
    ],
)
def test_file_cannot_exceed_the_effort_set_by_the_operator(
    flags: dict[str, str], file: bytes, ours: dict[str, str], effort: str, strategy: str
) -> None:
    """A file can't exceed the operator's effort, and effort `none` overrides any strategy."""
    found = config.resolve(flags, file, Settings(**ours))
    assert (found.effort, found.strategy) == (effort, strategy)


def test_server_gets_default_ceilings() -> None:
    """A server gets default ceilings, except for limits that the operator set."""
    found = Settings(cap_usd=0.5).with_server_ceilings()
    assert (found.cap_usd, found.cap_usd_per_day) == (0.5, 100.0)
    rows = {name: value for name, value, _ in config.resolve({}, b"budget: {usd: 9}\n", found).rows()}
    assert (rows["budget.usd"], rows["DEEPREPO_CAP_USD"], rows["DEEPREPO_CAP_USD_PER_DAY"]) == ("0.5", "0.50", "100.00")


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (b"quota: 3\nfailon: high\n", ["line 2: unknown key failon; did you mean fail_on?"]),
        (b"fail-on: high\n", ["line 1: unknown key fail-on; did you mean fail_on?"]),
        (
            b"qouta: 4\nmodels:\n  rot: x/y\n",
            ["line 1: unknown key qouta; did you mean quota?", "line 3: unknown key models.rot; did you mean root?"],
        ),
        (
            b"instructions:\n- name: a\n  text: Is it so?\n- name: b\n  text: Is it so?\n  mst: fail\n",
            ["line 6: unknown key instructions.mst; did you mean must?"],
        ),
        (b"triggers: {draft: true}\n", ["line 1: unknown key triggers.draft; did you mean drafts?"]),
        (b"run: {comand: make test}\n", ["line 1: unknown key run.comand; did you mean"]),
        (
            b"nothing_like_it: 3\n",
            ["line 1: unknown key nothing_like_it; `deeprepo config --reference` lists the keys"],
        ),
    ],
)
def test_unknown_key_warning_suggests_the_nearest_name(text: bytes, sentences: list[str]) -> None:
    """Each warning has its line number, also for keys in sections and in list entries."""
    warnings = config.resolve({}, text, NONE).warnings
    assert [warning.startswith(f".deeprepo.yml {s}") for warning, s in zip(warnings, sentences, strict=True)] == [
        True for _ in sentences
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"quota: [\n", "line 2: this is not valid YAML"),
        (b"- a\n", "the file must consist of"),
        (b"quota: many\n", "quota"),
        (b"language: 2026-13-45\n", "line 1: this is not valid YAML: this is not a valid timestamp"),
        (b"quota: 1\ntone: \x07\n", "line 2: this is not valid YAML: control characters are not allowed"),
        (b"quota: 1\ntone: caf\xe9\n", "line 2: this is not UTF-8: save the file in this encoding; nothing in this"),
        (b"[" * 5_000, "nested too deeply"),
        (b"ignore: ['!']\n", "ignore.0"),
        (b"instructions: [{path: '!', text: t}]\n", "instructions.0.path"),
        (b"budget: {usd: -1}\n", "budget.usd"),
        (b"strategy: magic\n", "strategy"),
        (b"\xff\xfe", "line 1: this is not UTF-8"),
        (b"x: !!python/object/apply:os.system [id]\n", "not valid YAML: could not determine a constructor"),
        (b"ignore: a.py\n", r"line 1: ignore: write a list of entries, such as \[\"generated/\""),
        (b"\nbudget:\n  usd: lots\n", "line 3: budget.usd: write a number"),
        (b"models: cheap\n", "line 1: models: write `key: value` lines below it"),
        (b"verify: perhaps\n", "line 1: verify: write true or false"),
        (b"strategy: magic\n", "line 1: strategy: write one of auto, root, parts, rlm or offline"),
        (
            b"quota: -1\nlanguage: 7\n",
            "line 1: quota: write a number of at least 0;.*\n.* line 2: language: write a text",
        ),
        (
            b"quotas: 1\nmodels: {root: 3}\nquota: x\nfail_on: bad\nverify: 7\n",
            "line 1: .*\n.* line 2: .*\n.* line 3: .*\n.* line 4: .*\n.* line 5: ",
        ),
        (b"triggers:\n  events: [opened,\n    titled]\n", "line 3: triggers.events.1: write one of opened"),
        (b"triggers: {paths: ['!']}", "triggers.paths.0"),
        (b"triggers: {branches: main}", "triggers.branches: write a list"),
        (b"triggers: {paths: ['!docs/']}", r"no file can match a list of exclusions; include paths first"),
        (b"triggers: {branches: [main, epic/]}", "triggers.branches.1: no branch can be called epic/"),
        (b"ignore: ['apps/!(en).json']", "ignore.0.*: .gitignore has no groups"),
        (b"triggers: {branches: ['!dev']}", "triggers.branches.0: !dev excludes a branch"),
        (b"language: de # " + b"x" * 70_000, "longer than"),
        (b"language: german\n", "line 1: language: use a language code such as en, de or pt-BR"),
        (b"instructions: be nice\n", r"write a list of entries, such as \[{path: \"src/"),
        (b"ignore: F841\n", r"write a list of entries, such as \[\"generated/"),
    ],
)
def test_each_mistake_in_the_file_has_a_warning_with_its_location(text: bytes, sentence: str) -> None:
    """Each mistake gets its own warning. A YAML tag that would construct objects is a mistake too."""
    assert re.search(sentence, "\n".join(config.read(text).warnings))


def test_misnamed_settings_file_gives_a_warning() -> None:
    """A repository with a misnamed settings file gets a warning that the file is ignored."""
    found = config.resolve({}, None, NONE, others=[".deeprepo.yaml"])
    assert found.warnings == (".deeprepo.yaml is not read. Rename it to .deeprepo.yml.",)


def test_ignored_paths_match_as_in_git() -> None:
    """Ignore patterns support folders, globs, exceptions and braces."""
    found = config.resolve({}, b"ignore: ['docs/', '*.{sql,gen.ts}', '!keep.sql']\n", NONE)
    paths = ("docs/a.md", "x/y.sql", "a.gen.ts", "keep.sql", "a.py")
    assert [found.ignores(path) for path in paths] == [True, True, True, False, False]


def test_key_is_never_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the repr nor the text of a key contains its value. A blank variable counts as unset."""
    monkeypatch.setenv("SOME_KEY", "sk-very-secret")
    monkeypatch.setenv("BLANK_KEY", " ")
    found = config.provider_key("SOME_KEY")
    assert "secret" not in f"{found!r}{found}"
    assert config.provider_key("BLANK_KEY") is None
    assert config.provider_key("ABSENT_KEY") is None


def test_invalid_variable_is_reported_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the variable without its value, which might be a misplaced secret."""
    monkeypatch.setenv("DEEPREPO_USD", "sk-secret")
    with pytest.raises(ConfigError) as caught:
        config.environment()
    assert "DEEPREPO_USD" in str(caught.value)
    assert "sk-secret" not in str(caught.value)


def test_empty_trigger_list_applies_and_unset_triggers_use_defaults() -> None:
    """An empty list of events applies, and unset triggers have their defaults."""
    file = b"triggers:\n  events: []\n  skip_authors: [renovate]\n"
    found = config.resolve({}, file, NONE)
    assert (found.triggers.events, found.triggers.skip_authors, found.triggers.drafts) == ((), ("renovate",), False)
    shown = {name: (value, origin) for name, value, origin in found.rows()}
    assert shown["triggers.events"] == ("", ".deeprepo.yml")
    assert shown["triggers.forks"] == ("true", "default")


def test_published_schema_is_current() -> None:
    """docs/deeprepo.schema.json equals the output of `deeprepo config --schema`."""
    published = Path(__file__).parents[1] / "docs" / "deeprepo.schema.json"
    assert published.read_text(encoding="utf-8") == config.json_schema(), (
        "deeprepo config --schema > docs/deeprepo.schema.json"
    )


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        ("quota: 2\nmodels: {worker: openai/x}\ntriggers: {events: [], skip_labels: [wip]}\nlanguage: de\n", True),
        ("instructions: [{path: 'src/**', text: 'mind the locks'}]\nbudget: {usd: 0.5}\n", True),
        ("qouta: 2\n", False),
        ("triggers: {draft: true}\n", False),
        ("triggers: {events: [titled]}\n", False),
    ],
)
def test_schema_rejects_unknown_keys_and_values(text: str, sound: bool) -> None:
    """The schema accepts valid settings, and rejects unknown keys and values."""
    assert Draft202012Validator(json.loads(config.json_schema())).is_valid(yaml.safe_load(text)) == sound


def test_folder_instead_of_the_settings_file_gives_a_warning() -> None:
    """A folder at the path of the settings file gives a warning, because it might have set a threshold."""
    found = config.resolve({}, UnusableFile("it is a folder, not a file"), config.Settings())
    assert found.warnings == found.doubts == (".deeprepo.yml: it is a folder, not a file, so nothing in it applies",)


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            b"models: {root: gpt-5}\n",
            "line 1: models.root: gpt-5 has no provider. Write provider/model, for example openai/gpt-5",
        ),
        (b"models: {worker: openai/}\n", "models.worker: openai/ has no provider"),
        (b"analyzers:\n  - ruff\n  - eslint\n", "line 3: analyzers.1: eslint is unknown; did you mean oxlint?"),
        (
            b"ignore:\n  - {path: a, kind: perfomance}\n",
            "ignore.0.kind: perfomance is not a category of findings; did you mean performance?",
        ),
    ],
)
def test_unknown_provider_analyzer_or_category_gives_a_warning(text: bytes, warning: str) -> None:
    """An unknown provider, analyzer or category is valid YAML, so only a warning reveals the typo."""
    assert warning in config.resolve({}, text, config.Settings()).warnings[0]
