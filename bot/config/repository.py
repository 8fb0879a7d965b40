"""The repository's own file, as its owner writes it: .deeprepo.yml of the base branch."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Literal, get_args

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError, WithJsonSchema

from bot.config import yaml_text
from bot.config.defaults import DEFAULTS
from bot.config.names import FILE, MOST_CHECKS, MOST_SENTENCE
from bot.config.sections import FileSection, Pattern, RunSection
from bot.config.settings import Threshold
from bot.errors import ConfigError
from bot.levels import Strategy
from bot.values import Category, CheckSeverity, Effort, ReviewEffort, Severity, Tone
from bot.values.consumer import Disclosure

SHOWN = 12  # problems of one file that one error names


def _language(value: str) -> str:
    if not re.fullmatch(_LANGUAGE, value):
        raise ValueError("write the code of a language, such as en, de or pt-BR")
    return value


_LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$"
Bar = Annotated[  # YAML reads a bare `off` as false
    Threshold, BeforeValidator(lambda value: "off" if value is False else value, json_schema_input_type=Threshold)
]
Language = Annotated[str, AfterValidator(_language), WithJsonSchema({"type": "string", "pattern": _LANGUAGE})]
KINDS = (*get_args(Category), "secret", "settings")  # categories of findings, with those that no model reports
Event = Literal["opened", "reopened", "ready", "push"]  # what starts a review by itself


class ModelsSection(FileSection):
    """Section `models`: who orchestrates and who reads, and how they are called."""

    root: str | None = Field(default=None, description="The model that asks across units, as provider/model.")
    worker: str | None = Field(default=None, description="The cheap model that reads the code, as provider/model.")
    thinking: Effort | None = Field(
        default=None,
        description="How much models that think may think. Default: low for workers and second opinions, medium for the root.",
    )
    timeout: float | None = Field(
        default=None, gt=0, description="Seconds that a provider may be silent between two pieces of a reply."
    )
    concurrency: int | None = Field(
        default=None, ge=1, description="Calls in flight at once. Default: 64, or 4 at a server of your own."
    )
    context: int | None = Field(
        default=None,
        ge=2_048,
        description="Tokens of the models' context window, prompt and reply together. Default: learned when a prompt is too long.",
    )


class BudgetSection(FileSection):
    """Section `budget`: hard caps of one review."""

    usd: float | None = Field(default=None, ge=0, description="Dollars.")
    tokens: int | None = Field(default=None, ge=0, description="Tokens, in and out together.")
    calls: int | None = Field(default=None, ge=0, description="Model calls.")
    seconds: float | None = Field(default=None, gt=0, description="Seconds.")


class Instruction(FileSection):
    """One entry of `instructions`: what the owner asks of reviews of certain files."""

    path: Pattern = Field(description="The files, as in .gitignore.")
    text: str = Field(description="What to look for, or what to ignore.")


class RuleEntry(FileSection):
    """One entry of `rules`: findings that the owner does not want to hear."""

    path: Pattern = Field(description="The files, as in .gitignore.")
    kind: str = Field(
        min_length=1, description="The code of a check, such as F841, or a category of findings, such as performance."
    )
    text: str = Field(default="", description="Why; models that read such files are shown it.")


class LearningEntry(FileSection):
    """One entry of `learnings`: a sentence that answers claims about certain code."""

    path: Pattern = Field(description="The files, as in .gitignore.")
    symbol: str = Field(
        default="", max_length=200, description="The definition in them that it is about; if empty, all."
    )
    text: str = Field(
        min_length=1,
        max_length=MOST_SENTENCE,
        description="What holds there, in one sentence: a second opinion decides whether it answers a finding.",
    )


class CheckEntry(FileSection):
    """One entry of `checks`: a question of the owner's, which each review of such files answers."""

    name: str = Field(min_length=1, max_length=60, description="What the check is called in tables.")
    ask: str = Field(
        min_length=1,
        max_length=600,
        description="What has to hold, in plain words: what to look at, and what a violation looks like.",
    )
    paths: tuple[Pattern, ...] = Field(default=(), description="The files, as in .gitignore; if empty, every file.")
    severity: CheckSeverity = Field(
        default="warn",
        description="What a failed check comes to: a row in the table; a review that is not clean; a failed check run.",
    )


class Triggers(FileSection):
    """Section `triggers`: which pull requests are reviewed without a command or a re-run."""

    events: tuple[Event, ...] = Field(
        default=("opened", "reopened", "ready", "push"),
        description="Events that start a review; if the list is empty, only a command does.",
    )
    drafts: bool = Field(default=False, description="Whether drafts are reviewed automatically.")
    bots: bool = Field(default=False, description="Whether pull requests that a bot opened are reviewed automatically.")
    forks: bool = Field(default=True, description="Whether pull requests from forks are reviewed automatically.")
    fork_reviews_per_day: int = Field(
        default=50, ge=0, description="Automatic reviews of forks by models in a day; further ones use no model."
    )
    branches: tuple[str, ...] = Field(default=(), description="Base branches, with `*`; if empty, every branch.")
    labels: tuple[str, ...] = Field(
        default=(), description="A pull request must have one of these; if empty, it needs no label."
    )
    skip_labels: tuple[str, ...] = Field(default=(), description="A pull request must not have any of these.")
    skip_authors: tuple[str, ...] = Field(
        default=(), description="Logins whose pull requests are not reviewed automatically."
    )
    paths: tuple[Pattern, ...] = Field(
        default=(),
        description="A changed file must match, as in .gitignore, or one that a commit of the change touches; if empty, every file does.",
    )
    offline_files: int = Field(
        default=1_000, ge=1, description="Above this number of changed files, an automatic review uses no model."
    )
    offline_lines: int = Field(default=100_000, ge=1, description="The same, by added and deleted lines.")
    skip_files: int = Field(
        default=5_000,
        ge=1,
        description="Above this number of files, no review starts automatically, and no model reads.",
    )
    skip_lines: int = Field(default=1_000_000, ge=1, description="The same, by added and deleted lines.")
    commands_per_hour: int = Field(default=20, ge=1, description="Commands that one person may give in an hour.")
    replies_per_hour: int = Field(
        default=12, ge=0, description="Remarks of one person that are answered in an hour in one pull request; 0: none."
    )


class RepoConfig(FileSection):
    """The whole of .deeprepo.yml."""

    models: ModelsSection = Field(default=ModelsSection(), description="The models that orchestrate and read.")
    budget: BudgetSection = Field(default=BudgetSection(), description="Hard caps of one review.")
    effort: ReviewEffort | None = Field(
        default=None,
        description="How far a review goes: checks by code alone; one reading; a root model that follows what is open; a root in any case.",
    )
    strategy: Strategy | None = Field(
        default=None, description="For comparisons: one way of reading instead of the one that `effort` comes to."
    )
    ignore: tuple[Pattern, ...] = Field(default=(), description="Files that are listed and not read, as in .gitignore.")
    quota: int | None = Field(default=None, ge=0, description="Findings shown in full; critical ones do not count.")
    minimum_severity: Severity | None = Field(
        default=None,
        description="Less severe findings are not posted: the summary counts them, and the JSON output has them. What reaches `fail_on` is posted all the same.",
    )
    tone: Tone | None = Field(
        default=None,
        description="How much a comment says: `short` is the title, one sentence and the fix; the rest is collapsed.",
    )
    fail_on: Severity | None = Field(default=None, description="The check fails for a finding at least this severe.")
    strict: bool | None = Field(
        default=None,
        description="With `fail_on`, or with one of your own `checks` of severity `fail`: the check also fails for a pull request that your own "
        "settings leave out (else it is neutral), and where one of your own `checks` of severity `fail` has no verdict.",
    )
    request_changes: Bar | None = Field(
        default=None,
        description="While a finding at least this severe is open, the review requests changes; `off`: it only comments.",
    )
    pause_after: int | None = Field(
        default=None,
        ge=1,
        description="Automatic reviews of a pull request pause after this number of pushes. Default: they do not.",
    )
    linked_issues: bool | None = Field(
        default=None,
        description="Whether a model says, for each issue that the description closes, if the change does what it asks.",
    )
    verify: bool | None = Field(default=None, description="Whether a second call has to confirm a finding.")
    consumers: tuple[str, ...] = Field(
        default=(),
        description="Repositories that use this one. A path from its top folder is a clone: the command line and the hooks look up what a "
        "change breaks there. `owner/name` is for servers: of the repositories that they look at, those alone.",
    )
    as_consumer: Disclosure | None = Field(
        default=None,
        description="The most that reviews of other repositories of the same owner show of this one, if not everybody can read it: `nothing`, "
        "`existence`, `name`, or `lines`, to models too. The operator can allow less.",
    )
    analyzers: tuple[str, ...] | None = Field(default=None, description="The checks that need no model.")
    language: Language | None = Field(default=None, description='The language of comments: "de", "pt-BR".')
    lenses: tuple[str, ...] | None = Field(default=None, description="The questions that models may be asked.")
    instructions: tuple[Instruction, ...] = Field(default=(), description="Instructions to the models, by file.")
    rules: tuple[RuleEntry, ...] = Field(
        default=(), description="Findings that are counted and not reported, by file and kind."
    )
    learnings: tuple[LearningEntry, ...] = Field(
        default=(),
        max_length=200,
        description="Sentences that answer claims of models about certain code; what one silences is counted and shown.",
    )
    checks: tuple[CheckEntry, ...] = Field(
        default=(),
        max_length=MOST_CHECKS,
        description="Questions of your own that a model answers about each change: passed, failed, undecided, or not applicable. 10 at most.",
    )
    guidelines: bool | None = Field(
        default=None, description="Whether AGENTS.md, CLAUDE.md and the like are shown to the models."
    )
    walkthrough: bool | None = Field(
        default=None, description="Whether a review says what the change does: sentences, a table of files, calls."
    )
    ci: bool | None = Field(
        default=None, description="Whether the review of a pull request names the jobs of CI that failed, and why."
    )
    run: RunSection = Field(
        default=RunSection(),
        description="How tests are run in a sandbox, to reproduce findings. Without this section nothing is run.",
    )
    triggers: Triggers = Field(default=Triggers(), description="Which pull requests are reviewed automatically.")
    enforce: tuple[str, ...] = Field(
        default=(),
        description="In the organization's `.deeprepo` repository alone: settings of this file that no repository may loosen, such as "
        "`fail_on`, `budget.usd` or `triggers`.",
    )


def written_as(name: str) -> str:
    """A setting's name as the file has it: `budget.usd` for `usd`."""
    sections: dict[str, type[BaseModel]] = {"models": ModelsSection, "budget": BudgetSection}
    return next((f"{section}.{name}" for section, model in sections.items() if name in model.model_fields), name)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the file: if it is fatal, no review can use the file. `line` is None if the whole file is meant."""

    line: int | None
    sentence: str
    fatal: bool = True


def check(text: bytes) -> tuple[RepoConfig, tuple[Problem, ...]]:
    """The repository's file, and all that is wrong with it. If a problem is fatal, the settings are the defaults."""
    try:
        node, data = yaml_text.load(text.decode())
    except (yaml.YAMLError, ValueError) as error:  # a date that no month has is a ValueError
        return RepoConfig(), (Problem(*yaml_text.fault(error)),)
    if data is None:
        return RepoConfig(), ()
    if not isinstance(data, dict):
        return RepoConfig(), (Problem(1, "must hold `key: value` lines at its top"),)
    try:
        settings = RepoConfig.model_validate(data)
        return settings, (*_unknown(node, RepoConfig), *_twice(node), *_unusable(node, settings))
    except ValidationError as error:
        rows = (
            Problem(
                yaml_text.line_of(node, item["loc"]), f"{'.'.join(map(str, item['loc']))}: {yaml_text.sentence(item)}"
            )
            for item in error.errors()
        )
        return RepoConfig(), (*rows, *_unknown(node, RepoConfig), *_twice(node))


def read(text: bytes, name: str = FILE) -> tuple[RepoConfig, tuple[str, ...]]:
    """The repository's file and warnings for keys that nobody knows. Raises ConfigError with the lines."""
    settings, problems = check(text)
    sorted_problems = sorted(problems, key=lambda problem: problem.line or 0)
    sentences = tuple(f"{yaml_text.place(name, each.line)}: {each.sentence}" for each in sorted_problems)
    if any(each.fatal for each in problems):
        raise ConfigError("; ".join(sentences[:SHOWN]))
    return settings, sentences


def _twice(node: yaml.Node | None) -> Iterator[Problem]:
    return (Problem(line, sentence, fatal=False) for line, sentence in yaml_text.duplicates(node))


def _unusable(node: yaml.Node | None, settings: RepoConfig) -> Iterator[Problem]:
    """Names that fit their form and that nobody knows: a model without its provider, a check, a lens, a category; a name that stands twice."""

    def problem(place: Sequence[str | int], sentence: str) -> Problem:
        return Problem(yaml_text.line_of(node, place), f"{'.'.join(map(str, place))}: {sentence}", fatal=False)

    names = [check.name for check in settings.checks]
    for at in (at for at, name in enumerate(names) if name in names[:at]):
        yield problem(("checks", at, "name"), f"{names[at]} is the name of another check; the first one counts")

    for role in ("root", "worker"):
        model = getattr(settings.models, role)
        if model is not None and not all(model.partition("/")[::2]):
            yield problem(
                ("models", role), f"{model} names no provider: write provider/model, such as openai/{model.strip('/')}"
            )
    for name in ("analyzers", "lenses"):
        for at, one in enumerate(getattr(settings, name) or ()):
            if one not in DEFAULTS[name]:
                yield problem((name, at), f"{one} is not known and not used{_near_miss(one, DEFAULTS[name])}")
    for at, rule in enumerate(settings.rules):
        if rule.kind not in KINDS and get_close_matches(rule.kind, KINDS, 1):
            yield problem(
                ("rules", at, "kind"), f"{rule.kind} is no category of findings{_near_miss(rule.kind, KINDS)}"
            )


def _near_miss(word: str, words: Sequence[str]) -> str:
    near = get_close_matches(word, words, 1)
    return f"; did you mean {near[0]}?" if near else f" (known: {', '.join(words)})"


def _unknown(node: yaml.Node | None, model: type[BaseModel], prefix: str = "") -> Iterator[Problem]:
    for name, value in node.value if isinstance(node, yaml.MappingNode) else ():
        field = model.model_fields.get(name.value)
        if field is None:
            near = _near_miss(str(name.value), list(model.model_fields))
            yield Problem(name.start_mark.line + 1, f"unknown key {prefix}{name.value!s}{near}", fatal=False)
        elif isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _unknown(value, field.annotation, f"{prefix}{name.value}.")
