"""Create what a review or an estimate needs: its brief, models, tools and journal."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bot import checkout, config, pipeline
from bot.brief import Brief
from bot.checkout import Checkout
from bot.config import Config, Settings
from bot.config.defaults import ANALYZERS
from bot.config.settings import is_hook
from bot.errors import UsageError
from bot.findings import sarif_results
from bot.machine import extras
from bot.machine.fact_files import DEFAULT_FOLDER, MAX_REPOSITORY_BYTES, keep_facts
from bot.pipeline import Tools
from bot.ports import Analyzer
from bot.review.analyzer_worker import load_analyzer
from bot.review.journal import open_file
from bot.review.opening import Models, open_session
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import ChangedFile, PullRequest, Review, TypedChange
from bot.values.consumer import ConsumerImpact, Consumers
from bot.values.progress import ProgressCallback, Reading
from bot.values.tool_results import ToolResult
from bot.wiring import consumers as local
from bot.wiring.access import (
    FROM_ENVIRONMENT,
    PREFERRED,
    Access,
    Connections,
    can_ask,
    limits,
    load_in_background,
    named_models,
)
from bot.wiring.organization import cloned_defaults
from deeprepo.impact.uses.budget import SearchLimits
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.values import Limits

if TYPE_CHECKING:
    from bot.values.shared_file import SharedFile

CONSUMER_SECONDS = 30.0  # how long a review on a server may search other repositories


async def brief(
    request: TypedChange,
    flags: Mapping[str, Any],
    scratch: str,
    left_out: Mapping[str, str] = MappingProxyType({}),
    *,
    records: Iterable[tuple[str, str]] = (),
) -> Brief:
    """Return the brief for a local change, based on flags, the repository's settings and the environment.

    `records` are files that the review writes, each with the option or variable that names it. Raises
    UsageError if a file that affects the review is in the reviewed tree.
    """
    made = await brief_of(await checkout.pull(request, scratch), flags, scratch, left_out, records=records)
    return replace(made, request=request)


async def brief_of(
    pull: PullRequest,
    flags: Mapping[str, Any],
    scratch: str,
    left_out: Mapping[str, str] = MappingProxyType({}),
    *,
    records: Iterable[tuple[str, str]] = (),
) -> Brief:
    """Return the brief for a change whose commits are already resolved, as `brief` does."""
    environment = config.environment()
    async with Checkout(pull, left_out) as tree:
        await checkout.refuse_reviewed(tree, (*flags.get("deciding", ()), *records))
        file = await tree.settings_at_tip(config.FILE)
    settings = config.resolve(flags, file, environment, shared=await shared_files(pull, environment, scratch))
    models_problem = _unusable_models(settings, environment) if is_hook() else ""
    if models_problem:
        settings = settings.with_flags(strategy="offline")
    clones = flags.get("with_clones") or ()
    return Brief(
        pull=pull,
        settings=settings,
        note=f"Reviewed with static checks only: {models_problem}" if models_problem else "",
        earlier=flags.get("previous"),
        full=bool(flags.get("full")),
        reports=_reports(flags),
        tool_runs=tuple(run for name, data in flags.get("sarif") or () for run in sarif_results.runs(data, name)),
        consumers=Consumers(
            named=local.named_consumers(pull, clones, settings) if clones or settings.consumers else ()
        ),
        left_out=left_out,
        allowed=environment.permissions(run_tests=flags.get("run_tests")),
    )


def _unusable_models(settings: Config, environment: Settings) -> str:
    """If there is a reason, a git hook reviews without models instead of failing."""
    own = ("flag", "environment", "default")
    if all(settings.origins[name] in own for name in ("root", "worker", "readers", "strategy")):
        return ""
    try:
        check_models(settings, environment, FROM_ENVIRONMENT).models(settings)
    except UsageError as error:
        return str(error)
    return ""


def tools(
    brief_made: Brief,
    scratch: str,
    say: ProgressCallback,
    open_journal: Callable[[], Journal] = Journal,
    *,
    keep_on_cancel: bool = True,
    on_server: bool = False,
    facts: Path | None = None,
    warn: Callable[[str], None] = lambda _: None,
    access: Mapping[str, Access] = FROM_ENVIRONMENT,
) -> Tools:
    """Return a review's tools. `on_server` applies a server's limits, and `facts` is a server's cache folder.

    `warn` is called with messages for the user before money is spent. `access` is for models that a program
    configures.
    """
    environment, settings = config.environment(on_server=on_server), brief_made.settings
    if on_server:
        keep_facts(facts, MAX_REPOSITORY_BYTES)
    else:
        keep_facts(environment.cache or DEFAULT_FOLDER)
    likely = settings.worker or settings.root
    if likely and settings.strategy != "offline":
        load_in_background(likely)
    return ModelTools(
        environment=environment,
        search=SearchLimits(
            sites=SearchLimits().sites if can_ask(settings) else 0,
            # On a server, messages are public, so they don't contain install commands.
            install=SearchLimits().install if on_server else extras.install,
        ),
        scratch=scratch,
        report_progress=say,
        consumer_seconds=CONSUMER_SECONDS if on_server else None,
        connections=check_models(settings, environment, access),
        open_journal=open_journal,
        keep_on_cancel=keep_on_cancel,
        warn=warn,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTools(Tools):
    """Tools for reviews and estimates, which search repositories and report progress."""

    scratch: str
    report_progress: ProgressCallback
    consumer_seconds: float | None = None  # for searching all other repositories

    def say(self, message: str | Reading) -> None:
        """Report progress."""
        self.report_progress(message)

    async def check_consumers(
        self, tree: Checkout, files: Sequence[ChangedFile], consumers: Consumers
    ) -> ConsumerImpact:
        """Check how the change affects the named repositories."""
        if not consumers.named:
            return ConsumerImpact()
        # On a server, not everybody who sees the progress may know how many private repositories there are.
        if consumers.audience is None:
            self.say(f"searching {len(consumers.named)} repositories that may use this one")
        return await local.check_consumers(tree, files, consumers, scratch=self.scratch, seconds=self.consumer_seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTools(LiveTools):
    """The tools of a review. `warn` is called with messages for the user before money is spent."""

    connections: Connections
    open_journal: Callable[[], Journal]
    keep_on_cancel: bool
    warn: Callable[[str], None]

    def open_session(self, subject: Survey) -> AbstractAsyncContextManager[Session]:
        """Open the models, the budget and the journal for a change."""
        settings = subject.brief.settings
        models = self.connections.models(settings)
        if models.reader is not None and settings.model_sentence():
            self.warn(settings.model_sentence())
        return open_session(
            subject,
            models,
            {name: load_analyzer(name) for name in settings.analyzers if name in ANALYZERS} | _extra_analyzers(subject),
            limits(settings),
            journal=self.open_journal(),
            keep_on_cancel=self.keep_on_cancel,
            say=self.report_progress,
        )


class EstimateTools(LiveTools):
    """The tools of an estimate. Its models only count tokens, so it needs no key."""

    __slots__ = ()

    def open_session(self, subject: Survey) -> AbstractAsyncContextManager[Session]:
        """Open models that only count tokens."""
        from bot.review.strategies.estimate import DryRun

        settings = subject.brief.settings
        root, worker = named_models(settings)
        if not root and not worker:
            _, root, worker = PREFERRED[0]
        price = Connections(config.environment(), {"root": root, "worker": worker}).price
        dry_root, dry_worker = (DryRun(name, price(name)) if name else None for name in (root, worker or root))
        others = tuple(DryRun(name, price(name)) for name in settings.readers)
        no_limits = Limits(usd=None, tokens=None, calls=None, seconds=None)
        return open_session(subject, Models(dry_root, dry_worker, others), {}, no_limits)


def check_models(
    settings: Config, environment: Settings | None = None, access: Mapping[str, Access] = FROM_ENVIRONMENT
) -> Connections:
    """Return the connections to a review's models. Raises UsageError for an unknown model."""
    typed = {role: getattr(settings, role) for role in ("root", "worker") if settings.origins[role] == "flag"}
    connections = Connections(environment or config.environment(), typed, access)
    if settings.strategy != "offline":
        connections.check_known((settings.root, settings.worker, *settings.readers), settings.usd)
    return connections


async def local_review(
    request: TypedChange,
    flags: Mapping[str, Any],
    scratch: str,
    say: Callable[[str], None] = lambda _: None,
    *,
    keep_on_cancel: bool = True,
    warn: Callable[[str], None] = lambda _: None,
    access: Mapping[str, Access] = FROM_ENVIRONMENT,
) -> Review:
    """Review a local change, with a journal if the flags or the environment name one. Raises UsageError."""
    default = config.environment().journal
    made = await brief(request, flags, scratch, records=records(flags, default))
    opened = partial(journal, flags, default, made.pull)
    return await pipeline.review(
        made, tools(made, scratch, lines(say), opened, keep_on_cancel=keep_on_cancel, warn=warn, access=access)
    )


def lines(say: Callable[[str], None]) -> ProgressCallback:
    """Return a progress function that ignores everything except lines of text."""
    return lambda message: say(message) if isinstance(message, str) else None


async def shared_files(pull: PullRequest, settings: config.Settings, scratch: str) -> "tuple[SharedFile, ...]":
    """Return the settings files that a local repository shares with others."""
    return await cloned_defaults(pull, settings.organization, scratch) if settings.organization else ()


def estimate_tools(say: Callable[[str], None], scratch: str) -> Tools:
    """Return the tools of an estimate."""
    keep_facts(config.environment().cache or DEFAULT_FOLDER)
    return EstimateTools(scratch=scratch, report_progress=lines(say))


def _extra_analyzers(subject: Survey) -> dict[str, Analyzer]:
    others: dict[str, Analyzer] = {}
    if subject.consumers.reports:
        others["consumers"] = local.ConsumerFindings(subject.consumers)
    if subject.brief.reports or subject.brief.tool_runs:
        from bot.analyzers.sarif import Sarif

        others["sarif"] = Sarif(subject.brief.reports, subject.brief.tool_runs)
    return others


def _reports(flags: Mapping[str, Any]) -> tuple[ToolResult, ...]:
    results, base = (
        tuple(each for name, data in flags.get(option) or () for each in sarif_results.read(data, name))
        for option in ("sarif", "sarif_base")
    )
    return sarif_results.mark_new(results, base) if flags.get("sarif_base") else results


def records(flags: Mapping[str, Any], default: str | None) -> Iterator[tuple[str, str]]:
    """Yield what names the journal, the option before the variable, and the journal's path."""
    if name := flags.get("journal") or default:
        yield "--journal" if name != default else "DEEPREPO_JOURNAL", str(name)


def journal(flags: Mapping[str, Any], default: str | None, pull: PullRequest) -> Journal:
    """Return the journal to resume, or else a journal in memory.

    If the path is a folder, each change has its own journal in it.
    """
    journal_path = flags.get("journal") or default
    path = Path(journal_path) if journal_path else None
    if path is not None and path.is_dir():
        path /= f"{pull.base[:12]}-{pull.head[:12]}.jsonl"
    return Journal(path, open_file=open_file)
