"""Declare the settings in `.deeprepo.yml`, each in one place.

A setting is a field of one of these pydantic dataclasses. They validate the file, they are the values that the
code reads, and the JSON Schema and the reference are made from them.
"""

import re
from dataclasses import fields
from datetime import date
from pathlib import Path
from pkgutil import iter_modules
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.dataclasses import dataclass

from bot import globs
from bot.levels import ReviewEffort, Severity, Strategy
from bot.values import RequiredCheckSeverity, Tone
from deeprepo.rlm.values import Effort

FILE = ".deeprepo.yml"
OTHER_NAMES = (".deeprepo.yaml", "deeprepo.yml", "deeprepo.yaml", ".github/deeprepo.yml", ".github/.deeprepo.yml")
# The repository's own comment templates.
TEMPLATES = tuple(f".deeprepo/templates/{name}.md.j2" for name in ("summary", "finding", "inline"))
MOST_MUSTS = 10  # requirements (`must`) in one review
MOST_SENTENCE = 300  # characters in a learning


# Unknown keys are ignored here, because `usable` reports them.
FORM = ConfigDict(extra="ignore", allow_inf_nan=False)
LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$"
CLAIMS, ALL = "claims", "all"  # special values of `kind` in an `ignore` entry
ANALYZERS = tuple(found.name for found in iter_modules([f"{Path(__file__).parents[1]}/analyzers/checks"]))
# A mistake in one of these keys makes the check neutral, because they decide whether it passes.
THRESHOLD_KEYS = frozenset({"fail_on", "strict", "request_changes", "enforce", "must"})


def _pattern(value: str) -> str:
    globs.check(value)
    if globs.GROUP.search(value) and not value.startswith(globs.EXACT):
        raise ValueError(".gitignore has no groups such as `!(a|b)`; write a pattern for each, such as `*` and `!a`")
    return value


def _language(value: str) -> str:
    if not re.fullmatch(LANGUAGE, value):
        raise ValueError("use a language code such as en, de or pt-BR")
    return value


Pattern = Annotated[str, AfterValidator(_pattern)]  # as in .gitignore
Patterns = Annotated[
    tuple[Pattern, ...],
    BeforeValidator(
        lambda value: (value,) if isinstance(value, str) else value, json_schema_input_type=str | tuple[Pattern, ...]
    ),
]
Language = Annotated[str, AfterValidator(_language), WithJsonSchema({"type": "string", "pattern": LANGUAGE})]
Day = Annotated[
    str,
    BeforeValidator(lambda value: value.isoformat() if isinstance(value, date) else value, json_schema_input_type=str),
]
MustLevel = Literal["no", RequiredCheckSeverity]
Must = Annotated[
    MustLevel,
    BeforeValidator(
        lambda value: ("fail" if value else "no") if isinstance(value, bool) else value,
        json_schema_input_type=bool | MustLevel,
    ),
]
Threshold = Literal["off", Severity]  # the lowest severity that has an effect
# YAML reads a bare `off` as false
ThresholdSetting = Annotated[Threshold, BeforeValidator(lambda value: "off" if value is False else value)]
Dollars = Annotated[float, Field(ge=0)]
Seconds = Annotated[float, Field(gt=0)]
Event = Literal["opened", "reopened", "ready", "labeled", "push"]  # what starts a review automatically


@dataclass(frozen=True, kw_only=True, config=FORM)
class IgnoreItem:
    """One entry of `ignore`: findings or files to silence. A plain string is short for its path."""

    path: Pattern = Field(
        default="",
        description="Files, as in .gitignore. Without `kind` or `finding`, these files are listed but not reviewed.",
    )
    kind: str = Field(
        default="",
        description="The kind of finding to count but not report: a rule such as F841, a category such as performance, `all`, or "
        "`claims` for findings from models that `reason` refutes.",
    )
    symbol: str = Field(
        default="",
        description="With `claims`: only findings about this definition. Empty: any definition.",
        max_length=200,
    )
    finding: str = Field(default="", description="Only this finding, given by its ID.")
    reason: str = Field(
        default="",
        description="Why, in one sentence. With `claims`: a fact about this code. A confirmation decides whether it refutes a "
        "finding.",
    )
    expires: Day = Field(default="", description="The last day on which this entry applies, such as 2027-01-31.")


@dataclass(frozen=True, kw_only=True, config=FORM)
class Instruction:
    """One entry of `instructions`: what to check in certain files."""

    path: Patterns = Field(default=(), description="Files, as in .gitignore: a pattern or a list. Empty: every file.")
    text: str = Field(description="What to check, or a requirement that the code must meet.", min_length=1)
    must: Must = Field(
        default="no",
        description="Makes this a requirement that a model checks in every change (at most 10). The result is passed, failed, "
        "undecided or not applicable. `note` only lists a failure, `warn` makes the review not clean, `fail` or `true` fails "
        "the check.",
    )
    name: str = Field(
        default="",
        description="The name of the requirement in tables. Empty: the first words of `text`.",
        max_length=60,
    )


@dataclass(frozen=True, kw_only=True, config=FORM)
class EffortEntry:
    """One entry of `effort_for`: the effort for certain files, or for pull requests with a label."""

    paths: tuple[Pattern, ...] = Field(default=(), description="Files, as in .gitignore. Empty: every file.")
    label: str = Field(
        default="", description="A label that the pull request must have. Empty: no label needed.", max_length=100
    )
    effort: ReviewEffort = Field(description="The effort to use, as in `effort`.")


Ignored = Annotated[
    IgnoreItem,
    BeforeValidator(
        lambda value: {"path": value} if isinstance(value, str) else value, json_schema_input_type=str | IgnoreItem
    ),
]


@dataclass(frozen=True, kw_only=True, config=FORM)
class Triggers:
    """Section `triggers`: which pull requests are reviewed without a command or a re-run."""

    events: tuple[Event, ...] = Field(
        default=get_args(Event), description="Events that start a review. Empty: only a command starts one."
    )
    drafts: bool = Field(default=False, description="Review drafts automatically.")
    bots: bool = Field(default=False, description="Review pull requests by bots automatically.")
    forks: bool = Field(default=True, description="Review pull requests from forks automatically.")
    fork_reviews_per_day: int = Field(
        default=50,
        description="How many automatic reviews a day may use models for authors without write permission. Further reviews run only "
        "static checks.",
        ge=0,
    )
    branches: tuple[str, ...] = Field(
        default=(), description="Base branches to review; `*` matches any text. Empty: every branch."
    )
    labels: tuple[str, ...] = Field(
        default=(), description="A pull request needs one of these labels. Empty: no label needed."
    )
    skip_labels: tuple[str, ...] = Field(
        default=(), description="A pull request with one of these labels is not reviewed."
    )
    skip_authors: tuple[str, ...] = Field(
        default=(), description="Users whose pull requests are not reviewed automatically."
    )
    paths: tuple[Pattern, ...] = Field(
        default=(), description="At least one changed file must match, as in .gitignore. Empty: any file matches."
    )


@dataclass(frozen=True, kw_only=True, config=FORM)
class RunSection:
    """The `run` section: how to run tests in a container.

    Unset values are derived from the repository's files.
    """

    prepare: str | None = Field(
        default=None,
        description="The command that installs test dependencies at the base commit. Default: derived from the lock files if `network` "
        "is true, otherwise none.",
    )
    test: str | None = Field(
        default=None,
        description="The command that runs one test file, with `{file}`, `{folder}`, `{name}`, `{module}` or `{n}`, from the "
        "repository root. Default: derived from the package of the file.",
    )
    files: str | None = Field(
        default=None,
        description="The path of a new test file, with `{n}`, and `{beside}` for the folder of the code. Default: derived from the "
        "package of the file.",
    )
    image: str | None = Field(default=None, description="The container image for docker or podman.")
    network: bool = Field(
        default=False,
        description="Whether `prepare` may use the network, if `DEEPREPO_RUN_NETWORK` allows it. Tests never have network access.",
    )
    seconds: Seconds = Field(default=120, description="Time limit of one run, in seconds.", le=900)


@dataclass(frozen=True, kw_only=True, config=FORM)
class Models:
    """Section `models`: which models review, and how they are called."""

    root: str | None = Field(default=None, description="The root model, which directs the review, as provider/model.")
    worker: str | None = Field(
        default=None,
        description="The worker model, usually a cheaper one, which reads the code, as provider/model.",
    )
    readers: tuple[str, ...] = Field(
        default=(),
        description="Models that each review the diff once, instead of the worker. Different model families find different problems.",
        max_length=4,
    )
    thinking: Effort | None = Field(
        default=None,
        description="How long reasoning models may think. Default: low for workers and confirmations, medium for the root model.",
    )
    timeout: Seconds = Field(
        default=300.0, description="How many seconds to wait for the next part of a model's reply."
    )
    context: int | None = Field(
        default=None,
        description="Context window in tokens, for prompt and reply together. Default: detected when a prompt is too long.",
        ge=2_048,
    )


@dataclass(frozen=True, kw_only=True, config=FORM)
class Budget:
    """Section `budget`: hard limits for one review."""

    usd: Dollars = Field(default=1.0, description="Cost in dollars.")
    calls: int = Field(default=1_000, description="Number of model calls.", ge=0)
    seconds: Seconds = Field(default=900.0, description="Duration in seconds.")


@dataclass(frozen=True, kw_only=True, config=FORM)
class TopLevel:
    """The settings outside of the sections `models`, `budget` and `triggers`."""

    effort: ReviewEffort = Field(
        default="medium",
        description="How much models do. `none`: only static checks; `low`: one model pass; `medium`: a root model reads the change and "
        "searches the repository; `high`: with more turns, and every finding is confirmed.",
    )
    effort_for: tuple[EffortEntry, ...] = Field(
        default=(),
        description="Effort by file or label. Each file gets the highest matching effort, otherwise `effort`. The highest effort of "
        "any file is used.",
    )
    strategy: Strategy = Field(
        default="auto",
        description="For comparisons: use this strategy instead of the one that `effort` selects.",
    )
    ignore: tuple[Ignored, ...] = Field(
        default=(), description="What not to report: files, kinds of findings, or single findings."
    )
    quota: int | None = Field(
        default=None,
        description="How many findings to show in full, not counting critical ones. Default: 4 to 10, by the size of the change.",
        ge=0,
    )
    minimum_severity: Severity = Field(
        default="low",
        description="Less severe findings are only counted in the summary and listed in the JSON output. Findings that reach `fail_on` "
        "are always posted.",
    )
    tone: Tone = Field(
        default="normal",
        description="The length of comments. `normal`: title, two sentences and the fix; `short`: title, one sentence and the fix. "
        "The rest is collapsed.",
    )
    fail_on: Severity | None = Field(
        default=None,
        description="The check fails if a finding has at least this severity. A model's finding must be confirmed first.",
    )
    strict: bool = Field(
        default=False,
        description="With `fail_on` or a requirement (`must`): the check also fails if your settings exclude the pull request "
        "(otherwise it is neutral), or if a requirement has no result.",
    )
    request_changes: ThresholdSetting = Field(
        default="off",
        description="The review requests changes while a finding of at least this severity is open. `off`: the review only comments.",
    )
    pause_after: int | None = Field(
        default=None,
        description="Automatic reviews of a pull request pause after this many pushes. Default: they never pause.",
        ge=1,
    )
    linked_issues: bool = Field(default=True, description="Compare the change with the issues that it closes.")
    verify: bool = Field(
        default=True,
        description="Whether models' findings are confirmed by one more call before they can fail the check. If not, they never fail it.",
    )
    analyzers: tuple[str, ...] = Field(default=ANALYZERS, description="The static checks to run.")
    language: Language = Field(
        default="en",
        description='The language in which models write for people, such as "de" or "pt-BR". Fixed phrases stay in English.',
    )
    instructions: tuple[Instruction, ...] = Field(
        default=(), description="What to check, and which requirements the code must meet."
    )
    guidelines: bool = Field(default=True, description="Whether models see AGENTS.md, CLAUDE.md and similar files.")
    consumers: tuple[str, ...] = Field(
        default=(),
        description="Repositories that use this one. On the command line and in hooks, list paths of clones, relative to the top "
        "folder. With the App and the Action, list `owner/name`.",
    )
    shown_to: tuple[str, ...] = Field(
        default=(),
        description="Repositories (`owner/name`) of the same owner whose reviews may show this one's lines, to people and models, if "
        "this one is not public.",
    )
    run: RunSection | None = Field(
        default=None,
        description="How to run tests in a container to reproduce findings. Without this section, no tests are run.",
    )
    walkthrough: bool = Field(
        default=True,
        description="Whether the summary describes the change: a few sentences and a table of files.",
    )
    tickets: bool = Field(
        default=False,
        description="Whether models see tickets such as `SHOP-12` that the title, the branch or the description names. Needs "
        "`DEEPREPO_TICKET_COMMAND`, and an author with write permission.",
    )
    description: bool = Field(
        default=False,
        description="Whether reviews keep a summary of the change in the description, in a section of its own.",
    )
    approve: Severity | None = Field(
        default=None,
        description="Approve a pull request once a model has read everything and no open finding has this severity or a higher one. "
        "Pull requests by authors without write permission are never approved.",
    )


@dataclass(frozen=True, kw_only=True, config=FORM)
class _Sections:
    models: Models = Field(default=Models(), description="The models to use.")
    budget: Budget = Field(default=Budget(), description="Hard limits for one review.")


@dataclass(frozen=True, kw_only=True, config=FORM)
class SettingsFile(TopLevel, _Sections):
    """The whole of .deeprepo.yml."""

    triggers: Triggers = Field(default=Triggers(), description="Which pull requests are reviewed automatically.")
    enforce: tuple[str, ...] = Field(
        default=(),
        description="Only in the organization's `.deeprepo` repository: settings in this file that repositories cannot loosen, such "
        "as `fail_on`, `budget.usd` or `triggers`.",
    )


@dataclass(frozen=True, kw_only=True, config=FORM)
class AllSettings(TopLevel, Budget, Models):
    """The settings of a review, without sections."""


def _defaults(form: Any) -> dict[str, Any]:  # noqa: ANN401 - an instance of one of the classes above
    return {each.name: getattr(form, each.name) for each in fields(form)}


DEFAULTS: dict[str, Any] = _defaults(AllSettings())
TRIGGERS: dict[str, Any] = {f"triggers.{name}": value for name, value in _defaults(Triggers()).items()}
MERGED_LISTS = frozenset(name for name, value in DEFAULTS.items() if value == ())  # combine the entries of all files
SECTION_OF = {each.name: name for name, form in (("models", Models), ("budget", Budget)) for each in fields(form)}


def key_in_file(name: str) -> str:
    """Return a setting's key in the file, with its section, such as `budget.usd` for `usd`."""
    return f"{SECTION_OF[name]}.{name}" if name in SECTION_OF else name
