"""Declare the settings in `.deeprepo.yml`, each in one place."""

from dataclasses import dataclass, fields
from datetime import date
from typing import Annotated, Any, Literal

from bot.config.setting import Checked, Language, Pattern, Patterns, setting
from bot.levels import ReviewEffort, Severity, Strategy
from bot.values import RequiredCheckSeverity, Tone
from deeprepo.rlm.values import Effort

Day = Annotated[str, Checked(lambda value: value.isoformat() if isinstance(value, date) else value, before=True)]
Must = Annotated[
    Literal["no", RequiredCheckSeverity],
    Checked(
        lambda value: ("fail" if value else "no") if isinstance(value, bool) else value, True, short={"type": "boolean"}
    ),
]
Threshold = Literal["off", Severity]  # the lowest severity that has an effect
# YAML reads a bare `off` as false
ThresholdSetting = Annotated[Threshold, Checked(lambda value: "off" if value is False else value, before=True)]
Event = Literal["opened", "reopened", "ready", "push"]  # what starts a review automatically
# Sections whose keys are separate settings, each with its docstring and its description in the schema.
SECTIONS = {
    "models": (
        "Section `models`: which models review, and how they are called.",
        "The models to use.",
    ),
    "budget": ("Section `budget`: hard limits for one review.", "Hard limits for one review."),
}
ANALYZERS = (
    "contracts",
    "references",
    "ruff",
    "secrets",
    "settings",
    "oxlint",
    "shellcheck",
    "zizmor",
    "hadolint",
    "ty",
    "tsc",
)
TYPE_CHECKERS = ("ty", "tsc")


# ruff: noqa: FBT003, RUF009 - `setting` returns what `field` returns; its first argument is the default
CLAIMS, ALL = "claims", "all"  # special values of `kind` in an `ignore` entry


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoreItem:
    """One entry of `ignore`: findings or files to silence. A plain string is short for its path."""

    short = "path"
    path: Pattern = setting(
        "", "Files, as in .gitignore. Without `kind` or `finding`, these files are listed but not reviewed."
    )
    kind: str = setting(
        "",
        "The kind of finding to count but not report: a rule such as F841, a category such as performance, `all`, or `claims` "
        "for findings from models that `reason` refutes.",
    )
    symbol: str = setting(
        "", "With `claims`: only findings about this definition. Empty: any definition.", max_length=200
    )
    finding: str = setting("", "Only this finding, given by its ID.")
    reason: str = setting(
        "",
        "Why, in one sentence. With `claims`: a fact about this code. A second model call decides whether it refutes a finding.",
    )
    expires: Day = setting("", "The last day on which this entry applies, such as 2027-01-31.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One entry of `instructions`: what to check in certain files."""

    path: Patterns = setting((), "Files, as in .gitignore: a pattern or a list. Empty: every file.")
    text: str = setting(..., "What to check, or a requirement that the code must meet.", min_length=1)
    must: Must = setting(
        "no",
        "Makes this a requirement that a model checks in every change (at most 10). The result is passed, failed, undecided or not "
        "applicable. `note` only lists a failure, `warn` makes the review not clean, `fail` or `true` fails the check.",
        is_threshold=True,
    )
    name: str = setting("", "The name of the requirement in tables. Empty: the first words of `text`.", max_length=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffortEntry:
    """One entry of `effort_for`: the effort for certain files, or for pull requests with a label."""

    paths: tuple[Pattern, ...] = setting((), "Files, as in .gitignore. Empty: every file.")
    label: str = setting("", "A label that the pull request must have. Empty: no label needed.", max_length=100)
    effort: ReviewEffort = setting(..., "The effort to use, as in `effort`.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """Section `triggers`: which pull requests are reviewed without a command or a re-run."""

    events: tuple[Event, ...] = setting(
        ("opened", "reopened", "ready", "push"),
        "Events that start a review. Empty: only a command starts one.",
    )
    drafts: bool = setting(False, "Review drafts automatically.")
    bots: bool = setting(False, "Review pull requests by bots automatically.")
    forks: bool = setting(True, "Review pull requests from forks automatically.")
    fork_reviews_per_day: int = setting(
        50,
        "How many automatic reviews a day may use models for authors without write permission. Further reviews run only static checks.",
        ge=0,
    )
    branches: tuple[str, ...] = setting((), "Base branches to review; `*` matches any text. Empty: every branch.")
    labels: tuple[str, ...] = setting((), "A pull request needs one of these labels. Empty: no label needed.")
    skip_labels: tuple[str, ...] = setting((), "A pull request with one of these labels is not reviewed.")
    skip_titles: tuple[str, ...] = setting(
        (), "A pull request whose title matches one of these patterns is not reviewed; `*` matches any text."
    )
    skip_authors: tuple[str, ...] = setting((), "Users whose pull requests are not reviewed automatically.")
    paths: tuple[Pattern, ...] = setting(
        (),
        "At least one changed file must match, as in .gitignore. Empty: any file matches.",
    )
    skip_files: int = setting(
        5_000, "Above this number of changed files, reviews do not start automatically and use no model.", ge=1
    )
    replies_per_hour: int = setting(
        12, "How many comments by one person are answered per hour in a pull request. 0: none.", ge=0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSection:
    """The `run` section: how to run tests in a sandbox.

    Unset values are derived from the repository's files.
    """

    prepare: str | None = setting(
        None,
        "The command that installs test dependencies at the base commit. Default: derived from the lock files if `network` is true, otherwise none.",
    )
    test: str | None = setting(
        None,
        "The command that runs one test file, with `{file}`, `{folder}`, `{name}`, `{module}` or `{n}`, from the repository root. Default: derived from the package of the file.",
    )
    files: str | None = setting(
        None,
        "The path of a new test file, with `{n}`, and `{beside}` for the folder of the code. Default: derived from the package of the file.",
    )
    image: str | None = setting(None, "The container image for docker or podman.")
    network: bool = setting(
        False,
        "Whether `prepare` may use the network, if `DEEPREPO_RUN_NETWORK` allows it. Tests never have network access.",
    )
    seconds: float = setting(120, "Time limit of one run, in seconds.", gt=0, le=900)


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """The settings of a review."""

    root: str | None = setting(None, "The root model, which directs the review, as provider/model.", section="models")
    worker: str | None = setting(
        None, "The worker model, usually a cheaper one, which reads the code, as provider/model.", section="models"
    )
    readers: tuple[str, ...] = setting(
        (),
        "Models that each review the diff once, instead of the worker. Different model families find different problems.",
        section="models",
        max_length=4,
    )
    thinking: Effort | None = setting(
        None,
        "How long reasoning models may think. Default: low for workers and confirmations, medium for the root model.",
        section="models",
    )
    timeout: float = setting(
        300.0, "How many seconds to wait for the next part of a model's reply.", gt=0, section="models"
    )
    concurrency: int | None = setting(
        None,
        "Maximum parallel calls. Default: 64, or 4 for a model server that you run yourself.",
        ge=1,
        section="models",
    )
    context: int | None = setting(
        None,
        "Context window in tokens, for prompt and reply together. Default: detected when a prompt is too long.",
        ge=2_048,
        section="models",
    )
    effort: ReviewEffort = setting(
        "medium",
        "How much models do. `none`: only static checks; `low`: one model pass; `medium`: a root model reads the change and searches the repository; `high`: with more turns, and every finding is confirmed.",
    )
    effort_for: tuple[EffortEntry, ...] = setting(
        (),
        "Effort by file or label. Each file gets the highest matching effort, otherwise `effort`. The highest effort of any file is used.",
        entries=EffortEntry,
    )
    strategy: Strategy = setting("auto", "For comparisons: use this strategy instead of the one that `effort` selects.")
    usd: float = setting(1.0, "Cost in dollars.", ge=0, section="budget")
    tokens: int = setting(2_000_000, "Input and output tokens together.", ge=0, section="budget")
    calls: int = setting(1_000, "Number of model calls.", ge=0, section="budget")
    seconds: float = setting(900.0, "Duration in seconds.", gt=0, section="budget")
    ignore: tuple[IgnoreItem, ...] = setting(
        (), "What not to report: files, kinds of findings, or single findings.", entries=IgnoreItem
    )
    quota: int | None = setting(
        None,
        "How many findings to show in full, not counting critical ones. Default: 4 to 10, by the size of the change.",
        ge=0,
    )
    minimum_severity: Severity = setting(
        "low",
        "Less severe findings are only counted in the summary and listed in the JSON output. Findings that reach `fail_on` are always posted.",
    )
    tone: Tone = setting(
        "normal",
        "The length of comments. `normal`: title, two sentences and the fix; `short`: title, one sentence and the fix. The rest is collapsed.",
    )
    fail_on: Severity | None = setting(
        None, "The check fails if a finding has at least this severity.", is_threshold=True
    )
    strict: bool = setting(
        False,
        "With `fail_on` or a requirement (`must`): the check also fails if your settings exclude the pull request (otherwise it "
        "is neutral), or if a requirement has no result.",
        is_threshold=True,
    )
    request_changes: ThresholdSetting = setting(
        "off",
        "The review requests changes while a finding of at least this severity is open. `off`: the review only comments.",
        is_threshold=True,
    )
    pause_after: int | None = setting(
        None, "Automatic reviews of a pull request pause after this many pushes. Default: they never pause.", ge=1
    )
    linked_issues: bool = setting(True, "Compare the change with the issues that it closes.")
    verify: bool = setting(True, "Whether a second model call must confirm a model's findings.")
    analyzers: tuple[str, ...] = setting(ANALYZERS, "The static checks to run.")
    language: Language = setting(
        "en", 'The language in which models write for people, such as "de" or "pt-BR". Fixed phrases stay in English.'
    )
    instructions: tuple[Instruction, ...] = setting(
        (), "What to check, and which requirements the code must meet.", entries=Instruction
    )
    guidelines: bool = setting(True, "Whether models see AGENTS.md, CLAUDE.md and similar files.")
    consumers: tuple[str, ...] = setting(
        (),
        "Repositories that use this one. On the command line and in hooks, list paths of clones, relative to the top folder. "
        "With the App and the Action, list `owner/name`.",
    )
    shown_to: tuple[str, ...] = setting(
        (),
        "Repositories (`owner/name`) of the same owner whose reviews may show this one's lines, to people and models, if this "
        "one is not public.",
    )
    run: RunSection | None = setting(
        None,
        "How to run tests in a sandbox to reproduce findings. Without this section, no tests are run.",
        entries=RunSection,
    )
    walkthrough: bool = setting(
        True, "Whether the summary describes the change: a few sentences, a table of files and the calls between them."
    )
    enforce: tuple[str, ...] = setting(
        (),
        "Only in the organization's `.deeprepo` repository: settings in this file that repositories cannot loosen, such as "
        "`fail_on`, `budget.usd` or `triggers`.",
        only_in="the organization's repository for defaults",
        is_threshold=True,
    )
    tickets: bool = setting(
        False,
        "Whether models see tickets such as `SHOP-12` that the title, the branch or the description names. Needs "
        "`DEEPREPO_TICKET_COMMAND`, and an author with write permission.",
    )
    description: bool = setting(
        False, "Whether reviews keep a summary of the change in the description, in a section of its own."
    )
    approve: Severity | None = setting(
        None,
        "Approve a pull request once a model has read everything and no open finding has this severity or a higher one. Pull "
        "requests by authors without write permission are never approved.",
    )


SETTING_FIELDS = tuple(each for each in fields(ReviewSettings) if not each.metadata["only_in"])
FILE_FIELDS = tuple(each for each in fields(ReviewSettings) if each.metadata["only_in"])
DEFAULTS: dict[str, Any] = {each.name: each.default for each in SETTING_FIELDS}
SECTION_FORMS = {  # settings that are a section of the file, with the dataclass of its keys
    each.name: each.metadata["entries"] for each in SETTING_FIELDS if each.metadata["entries"] and each.default is None
}
LISTS = frozenset(name for name, value in DEFAULTS.items() if value == ())  # combine the entries of all files


def key_in_file(name: str) -> str:
    """Return a setting's key in the file, with its section, such as `budget.usd` for `usd`."""
    return next(
        (
            f"{each.metadata['section']}.{name}"
            for each in SETTING_FIELDS
            if each.name == name and each.metadata["section"]
        ),
        name,
    )
