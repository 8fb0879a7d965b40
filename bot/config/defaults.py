"""The settings of `.deeprepo.yml`, each declared once. A feature declares its own in its folder; they come last in lists."""

from dataclasses import dataclass, fields
from datetime import date
from typing import Annotated, Any, Literal

from bot import registry
from bot.config.names import MOST_SENTENCE
from bot.config.setting import Checked, Language, Pattern, Patterns, setting
from bot.levels import ReviewEffort, Severity, Strategy
from bot.values import RulingSeverity, Tone
from deeprepo.rlm.values import Effort

Day = Annotated[str, Checked(lambda value: value.isoformat() if isinstance(value, date) else value, before=True)]
Must = Annotated[
    Literal["no", RulingSeverity],
    Checked(
        lambda value: ("fail" if value else "no") if isinstance(value, bool) else value, True, short={"type": "boolean"}
    ),
]
Threshold = Literal["off", Severity]  # from which findings do something
# YAML reads a bare `off` as false
Bar = Annotated[Threshold, Checked(lambda value: "off" if value is False else value, before=True)]
Event = Literal["opened", "reopened", "ready", "push"]  # what starts a review by itself
SECTIONS = {  # of the file, whose keys are settings of their own: what each holds
    "models": (
        "Section `models`: who orchestrates and who reads, and how they are called.",
        "The models that orchestrate and read.",
    ),
    "budget": ("Section `budget`: hard caps of one review.", "Hard caps of one review."),
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
    "schemas",
    "declarations",
    "ty",
    "tsc",
)
TYPE_CHECKERS = ("ty", "tsc")
LENSES = ("correctness", "contracts", "security", "data", "concurrency", "errors", "api", "tests")


# ruff: noqa: FBT003, RUF009 - `setting` returns what `field` returns; its first argument is the default
CLAIMS, ALL = "claims", "all"  # kinds of an entry of `ignore` that are no kinds of findings


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoreItem:
    """One entry of `ignore`: what the owner does not want to hear. A text alone is its path."""

    short = "path"
    path: Pattern = setting(
        "", "The files, as in .gitignore; without a kind or a finding they are listed and not read."
    )
    kind: str = setting(
        "",
        "Findings of this kind are counted and not reported there: the code of a check, such as F841, or a category, such as "
        "performance; `claims`: what models claim and `reason` answers; `all`.",
    )
    symbol: str = setting("", "Of `claims`, the definition that they are about; if empty, any.", max_length=200)
    finding: str = setting("", "This finding alone, by its fingerprint.")
    reason: str = setting(
        "",
        "Why, in one sentence. Of `claims`, what holds there: a second opinion decides whether it answers a finding.",
    )
    expires: Day = setting("", "The last day on which it holds, such as 2027-01-31.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One entry of `instructions`: what the owner asks of reviews of certain files."""

    path: Patterns = setting((), "The files, as in .gitignore, a pattern or a list of them; if empty, every file.")
    text: str = setting(..., "What to look for, or what has to hold.", min_length=1)
    must: Must = setting(
        "no",
        "A model says of each change whether it holds, with a verdict: passed, failed, undecided, or not applicable; 10 at most. A failure is a "
        "row in the table (`note`), a review that is not clean (`warn`), or a failed check (`fail`, or `true`).",
        is_threshold=True,
    )
    name: str = setting(
        "", "What the verdict is called in tables; if empty, the first words of the text.", max_length=60
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleEntry:
    """One entry of `rules`, the old form: findings that the owner does not want to hear."""

    path: Pattern = setting(..., "The files, as in .gitignore.")
    kind: str = setting(
        ..., "The code of a check, such as F841, or a category of findings, such as performance.", min_length=1
    )
    text: str = setting("", "Why; models that read such files are shown it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningEntry:
    """One entry of `learnings`, the old form: a sentence that answers claims about certain code."""

    path: Pattern = setting(..., "The files, as in .gitignore.")
    symbol: str = setting("", "The definition in them that it is about; if empty, all.", max_length=200)
    text: str = setting(
        ...,
        "What holds there, in one sentence: a second opinion decides whether it answers a finding.",
        min_length=1,
        max_length=MOST_SENTENCE,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEntry:
    """One entry of `checks`, the old form: a question of the owner's, which each review of such files answers."""

    name: str = setting(..., "What the check is called in tables.", min_length=1, max_length=60)
    ask: str = setting(
        ...,
        "What has to hold, in plain words: what to look at, and what a violation looks like.",
        min_length=1,
        max_length=600,
    )
    paths: tuple[Pattern, ...] = setting((), "The files, as in .gitignore; if empty, every file.")
    severity: RulingSeverity = setting(
        "warn",
        "What a failed check comes to: a row in the table; a review that is not clean; a failed check run.",
        is_threshold=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EffortEntry:
    """One entry of `effort_for`: how far reviews of certain files, or of pull requests with a label, go."""

    paths: tuple[Pattern, ...] = setting((), "The files, as in .gitignore; if empty, every file.")
    label: str = setting("", "A label that the pull request must have; if empty, none.", max_length=100)
    effort: ReviewEffort = setting(..., "As `effort`.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """Section `triggers`: which pull requests are reviewed without a command or a re-run."""

    events: tuple[Event, ...] = setting(
        ("opened", "reopened", "ready", "push"),
        "Events that start a review; if the list is empty, only a command does.",
    )
    drafts: bool = setting(False, "Whether drafts are reviewed automatically.")
    bots: bool = setting(False, "Whether pull requests that a bot opened are reviewed automatically.")
    forks: bool = setting(True, "Whether pull requests from forks are reviewed automatically.")
    fork_reviews_per_day: int = setting(
        50,
        "Automatic reviews of changes by people without write permission, by models in a day; further ones use no model.",
        ge=0,
    )
    branches: tuple[str, ...] = setting((), "Base branches, with `*`; if empty, every branch.")
    labels: tuple[str, ...] = setting((), "A pull request must have one of these; if empty, it needs no label.")
    skip_labels: tuple[str, ...] = setting((), "A pull request must not have any of these.")
    skip_authors: tuple[str, ...] = setting((), "Logins whose pull requests are not reviewed automatically.")
    paths: tuple[Pattern, ...] = setting(
        (),
        "A changed file must match, as in .gitignore; if empty, every file does.",
    )
    offline_files: int = setting(1_000, "Above this number of changed files, an automatic review uses no model.", ge=1)
    offline_lines: int = setting(100_000, "The same, by added and deleted lines.", ge=1)
    skip_files: int = setting(
        5_000, "Above this number of files, no review starts automatically, and no model reads.", ge=1
    )
    skip_lines: int = setting(1_000_000, "The same, by added and deleted lines.", ge=1)
    commands_per_hour: int = setting(20, "Commands that one person may give in an hour.", ge=1)
    replies_per_hour: int = setting(
        12, "Remarks of one person that are answered in an hour in one pull request; 0: none.", ge=0
    )


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """What a review goes by."""

    root: str | None = setting(None, "The model that asks across units, as provider/model.", section="models")
    worker: str | None = setting(None, "The cheap model that reads the code, as provider/model.", section="models")
    readers: tuple[str, ...] = setting(
        (),
        "Models that read the diff by itself, each once, in place of the worker: of other families they find other things.",
        section="models",
        max_length=4,
    )
    thinking: Effort | None = setting(
        None,
        "How much models that think may think. Default: low for workers and second opinions, medium for the root.",
        section="models",
    )
    timeout: float = setting(
        300.0, "Seconds that a provider may be silent between two pieces of a reply.", gt=0, section="models"
    )
    concurrency: int | None = setting(
        None, "Calls in flight at once. Default: 64, or 4 at a server of your own.", ge=1, section="models"
    )
    context: int | None = setting(
        None,
        "Tokens of the models' context window, prompt and reply together. Default: learned when a prompt is too long.",
        ge=2_048,
        section="models",
    )
    effort: ReviewEffort = setting(
        "medium",
        "How far a review goes: checks by code alone; one reading; a root model that follows what is open; a root in any case.",
    )
    effort_for: tuple[EffortEntry, ...] = setting(
        (),
        "The effort by file or label: of the entries that fit a file the strongest, else `effort`. The most demanding file decides.",
        entries=EffortEntry,
    )
    strategy: Strategy = setting(
        "auto", "For comparisons: one way of reading instead of the one that `effort` comes to."
    )
    usd: float = setting(1.0, "Dollars.", ge=0, section="budget")
    tokens: int = setting(2_000_000, "Tokens, in and out together.", ge=0, section="budget")
    calls: int = setting(1_000, "Model calls.", ge=0, section="budget")
    seconds: float = setting(900.0, "Seconds.", gt=0, section="budget")
    ignore: tuple[IgnoreItem, ...] = setting(
        (), "What is not said: files, kinds of findings, single findings.", entries=IgnoreItem
    )
    quota: int = setting(4, "Findings shown in full; critical ones do not count.", ge=0)
    minimum_severity: Severity = setting(
        "low",
        "Less severe findings are not posted: the summary counts them, and the JSON output has them. What reaches `fail_on` is posted all the same.",
    )
    tone: Tone = setting(
        "normal", "How much a comment says: `short` is the title, one sentence and the fix; the rest is collapsed."
    )
    fail_on: Severity | None = setting(None, "The check fails for a finding at least this severe.", is_threshold=True)
    strict: bool = setting(
        False,
        "With `fail_on`, or with an instruction that `must` hold: the check also fails for a pull request that your own "
        "settings leave out (else it is neutral), and where such an instruction has no result.",
        is_threshold=True,
    )
    request_changes: Bar = setting(
        "off",
        "While a finding at least this severe is open, the review requests changes; `off`: it only comments.",
        is_threshold=True,
    )
    pause_after: int | None = setting(
        None, "Automatic reviews of a pull request pause after this number of pushes. Default: they do not.", ge=1
    )
    linked_issues: bool = setting(
        True, "Whether a model says, for each issue that the description closes, if the change does what it asks."
    )
    verify: bool = setting(True, "Whether a second call has to confirm a finding.")
    analyzers: tuple[str, ...] = setting(ANALYZERS, "The checks that need no model.")
    language: Language = setting(
        "en", 'The language in which models write what people read: "de", "pt-BR". Our own phrases are in English.'
    )
    lenses: tuple[str, ...] = setting(LENSES, "The questions that models may be asked.")
    instructions: tuple[Instruction, ...] = setting((), "What to look at, and what must hold.", entries=Instruction)
    guidelines: bool = setting(True, "Whether AGENTS.md, CLAUDE.md and the like are shown to the models.")


FORMS: tuple[type, ...] = (ReviewSettings, *registry.parts("settings"))
SETTING_FIELDS = tuple(each for form in FORMS for each in fields(form) if not each.metadata["only_in"])
FILE_FIELDS = tuple(each for form in FORMS for each in fields(form) if each.metadata["only_in"])
DEFAULTS: dict[str, Any] = {each.name: each.default for each in SETTING_FIELDS}
REPORTED = tuple(each.name for each in SETTING_FIELDS if each.metadata["is_reported"])
SECTION_FORMS = {  # settings whose keys are a section of the file, each key by itself
    each.name: each.metadata["entries"] for each in SETTING_FIELDS if each.metadata["entries"] and each.default is None
}
ENTRY_FORMS = {  # settings that are lists of entries, and the form of each entry
    each.name: each.metadata["entries"] for each in SETTING_FIELDS if each.metadata["entries"] and each.default == ()
}
LISTS = frozenset(name for name, value in DEFAULTS.items() if value == ())  # whose entries come from more than one file
OLD_LISTS = {  # names of earlier versions: the form of their entries, and the list that they are part of now
    "rules": (RuleEntry, "ignore"),
    "learnings": (LearningEntry, "ignore"),
    "checks": (CheckEntry, "instructions"),
}


def written_as(name: str) -> str:
    """Return a setting's name as the file has it: `budget.usd` for `usd`."""
    return next(
        (
            f"{each.metadata['section']}.{name}"
            for each in SETTING_FIELDS
            if each.name == name and each.metadata["section"]
        ),
        name,
    )
