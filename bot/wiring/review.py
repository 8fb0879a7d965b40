"""The parts of a review of a local change, of its replay and of its rehearsal."""

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot import checkout, config
from bot.analyzers import ANALYZERS
from bot.checkout import Checkout
from bot.config import Config
from bot.errors import ConfigError, UsageError
from bot.findings import sarif_results
from bot.journal import codec
from bot.journal.codec import Start
from bot.journal.writer import Journal
from bot.languages import LANGUAGES
from bot.languages.faults import faults
from bot.llm import capacity
from bot.models import PROVIDERS, TIMEOUT, connect, prices, provider_of, warm
from bot.pipeline import Deps
from bot.ports import Analyzer, Lens, Model
from bot.review.lenses import LENSES
from bot.review.opening import Models, open_session
from bot.review.session import Session
from bot.review.survey import Survey
from bot.strategies.choice import WITH_ROOT
from bot.values import ChangedFile, Dependents, Limits, OwnerRule, PullRequest
from bot.values.consumer import ConsumerImpact, Disclosure, NamedConsumer
from bot.values.tool_results import ToolResult, ToolRun
from bot.wiring import addresses
from bot.wiring.addresses import Access

if TYPE_CHECKING:
    from bot.journal.reader import Record, Section
    from bot.review.running.values import Online, RunPermission
    from bot.values import OrganizationFile

# Root and worker where a key is there and no model is named, in the order of preference.
PREFERRED = (
    ("anthropic", "anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5"),
    ("openai", "openai/gpt-5.4", "openai/gpt-5.4-mini"),
)

NOTHING: Mapping[str, Access] = {}  # the environment says how every model is called
HIGH_TURNS = 24  # of a root at effort high


def deps(
    flags: Mapping[str, Any],
    scratch: str,
    say: Callable[[str], None],
    open_journal: Callable[[PullRequest], Journal] | None = None,
    *,
    keep_on_cancel: bool = True,
    on_server: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    access: Mapping[str, Access] = NOTHING,
    asks: bool = True,
) -> Deps:
    """The parts of a review of a local change. `open_journal` opens its journal; without it the flags and the environment name one.

    `on_server`: under the ceilings of a server. `tell` is given what a person has to know before anything is spent. `access` is how
    models are called that a program names with a key or an address of their own. `asks`: whether any model is asked.
    """
    settings = config.environment(on_server=on_server)
    likely = flags.get("worker") or settings.worker or flags.get("root") or settings.root
    alone = {"offline", "none"} & {flags.get("strategy"), settings.strategy, flags.get("effort"), settings.effort}
    if likely and asks and not alone:
        warm(likely)

    def opening(subject: Survey, settings_in_force: Config) -> AbstractAsyncContextManager[Session]:
        where = partial(addresses.address, flags=flags, settings=settings)
        chosen_models = models(settings_in_force, where, access)
        own = own_servers((chosen_models.root, chosen_models.reader), where, access)
        if chosen_models.reader is not None and settings_in_force.model_sentence():
            tell(settings_in_force.model_sentence())
        journal_opener = open_journal or partial(journal, flags, settings.journal)
        return _open(
            subject,
            settings_in_force,
            chosen_models,
            partial(journal_opener, subject.pull),
            say,
            keep_on_cancel=keep_on_cancel,
            own=own,
        )

    return Deps(
        languages=LANGUAGES,
        faults=faults,
        look_at_consumers=None if on_server else partial(look, scratch=scratch),
        consumers=tuple(flags.get("with") or ()),
        organization=organization_reader(settings, scratch),
        open_session=opening,
        settings=settings,
        flags=flags,
        scratch=scratch,
        clock=time.monotonic,
        say=say,
        earlier=flags.get("previous"),
        full=bool(flags.get("full")),
        local=flags.get("local"),
        reports=_reports(flags),
        tool_runs=tuple(each for name, data in flags.get("sarif") or () for each in sarif_results.runs(data, name)),
        running=running(settings, flags),
        deciding=(*flags.get("deciding", ()), *(() if open_journal else _record(flags, settings.journal))),
    )


def organization_reader(
    settings: config.Settings, scratch: str
) -> Callable[[PullRequest], Awaitable["OrganizationFile | None"]] | None:
    """What reads the defaults of an organization on this machine; None if no variable names its clone."""
    if not settings.organization:
        return None
    from bot.wiring.organization import read_clone

    return partial(read_clone, folder=str(Path(settings.organization).expanduser()), scratch=scratch)


def replay(record: "Record", section: "Section", start: Start, scratch: str, repo: str | None) -> Deps:
    """The parts of a review that is done again from its record: no provider, no environment, no clock."""
    from bot.journal import replay as replays

    def opening(subject: Survey, settings_in_force: Config) -> AbstractAsyncContextManager[Session]:
        recorded_models = Models(*replays.models(start, section))
        own = tuple(start.given.get("own", ()))
        return _open(
            subject,
            settings_in_force,
            recorded_models,
            lambda: replays.Replay(record, section),
            lambda _: None,
            own=own,
        )

    return Deps(
        languages=LANGUAGES,
        faults=faults,
        open_session=opening,
        settings=config.Settings(),
        flags=start.settings,
        scratch=scratch,
        clock=lambda: 0.0,
        say=lambda _: None,
        pull=replays.pull(start, repo, checkout.pull),
        today=lambda: date.fromisoformat(start.given["today"]),
        earlier=codec.as_bytes(start.given["earlier"]),
        full=start.given["full"],
        local=codec.as_bytes(start.given.get("local")),
        ignored_findings=tuple((mark, reason, scope) for mark, reason, scope in start.given.get("ignored", ())),
        rules=tuple(OwnerRule(**row) for row in start.given.get("rules", ())),
        note=start.given.get("note", ""),
        loss=start.given.get("loss", ""),
        reports=tuple(sarif_results.restore(start.given.get("sarif", ()))),
        tool_runs=tuple(_tool_runs(start.given)),
        look_at_consumers=partial(_recorded_consumers, start.given.get("consumers")),
        running=_recorded_runs() if start.given.get("run") else None,
    )


async def look(
    tree: Checkout,
    files: Sequence[ChangedFile],
    users: Dependents,
    consumers: Sequence[NamedConsumer],
    *,
    scratch: str,
    seconds: float | None = None,
    organization: "OrganizationFile | None" = None,
) -> ConsumerImpact:
    """What the change breaks in these clones. `seconds`: for all of them. `organization`: the defaults of those of the same owner."""
    if not consumers:
        return ConsumerImpact()
    from bot.dependents.consumers.check import check

    return await check(
        tree, files, users, consumers, LANGUAGES, ANALYZERS["contracts"](LANGUAGES),
        own=tree.pull.git_dir, address=tree.pull.url or "", scratch=scratch, left_out=tree.left_out, seconds=seconds,
        shows=partial(_shows, organization),
    )  # fmt: skip


def _shows(organization: "OrganizationFile | None", file: bytes | None) -> Disclosure:
    """What a consumer's own settings let others learn of it. Raises ConfigError where they cannot be read."""
    return config.resolve({}, file, config.Settings(), organization=organization).as_consumer


async def _recorded_consumers(
    rows: object,
    _tree: Checkout,
    _files: Sequence[ChangedFile],
    _users: Dependents,
    _consumers: Sequence[NamedConsumer],
) -> ConsumerImpact:
    """What a record has kept of it."""
    return ConsumerImpact.restore(rows)


def running(settings: config.Settings, flags: Mapping[str, Any]) -> "RunPermission | None":
    """What the operator, or the person at the terminal, allows to run in a sandbox; None: nothing, and nothing of it is loaded.

    `flags`: "allow_run" was typed; "foreign" is a change by somebody who may not write to the repository.
    """
    typed = flags.get("allow_run")
    if not (settings.run if typed is None else typed):
        return None
    from bot.review.running.values import Online, RunPermission

    refused = flags.get("foreign") and not settings.run_forks
    return RunPermission(
        sandbox=settings.run_sandbox,
        tools=tuple(filter(None, (settings.run_tools or "").split(":"))),
        network=bool(settings.run_network),
        cache=Path(settings.run_cache or "~/.cache/deeprepo/run").expanduser(),
        programs=config.programs(),
        online=_online() if settings.run_network else Online(),
        refusal="it comes from somebody who may not write to the repository, and DEEPREPO_RUN_FORKS is not set"
        if refused
        else "",
    )


def _online() -> "Online":
    """What a preparation may know of this machine's certificates, proxies and registries."""
    from bot.config import machine
    from bot.review.running import online, values

    return online.settings(machine.variables(online.NAMES), machine.beginning, values.HOME)


def _recorded_runs() -> "RunPermission":
    """Of a replay: every outcome is in its record, and nothing is started."""
    from bot.review.running.values import RunPermission

    return RunPermission()


def rehearsal(flags: Mapping[str, Any], scratch: str, say: Callable[[str], None]) -> Deps:
    """The parts of an estimate: the change is read, and models weigh prompts instead of answering them. No key is needed."""
    from bot.agent.dry_run import DryRun

    def opening(subject: Survey, settings_in_force: Config) -> AbstractAsyncContextManager[Session]:
        root, worker = settings_in_force.root, settings_in_force.worker
        if not root and not worker:
            root, worker = preferred_models()
        if not root and not worker:
            _, root, worker = PREFERRED[0]
        dry_runs = [
            DryRun(n, partial(prices.dollars, n)) if n and provider_of(n) else None for n in (root, worker or root)
        ]
        no_limits = Limits(usd=None, tokens=None, calls=None, seconds=None)
        lens_questions = lenses(settings_in_force)
        return open_session(
            subject,
            Models(*dry_runs),
            {},
            no_limits,
            languages=LANGUAGES,
            lenses=lens_questions,
            effort=settings_in_force.effort,
            walkthrough=settings_in_force.walkthrough,
        )

    return replace(
        deps(flags, scratch, say, asks=False), open_session=opening, deciding=tuple(flags.get("deciding", ()))
    )


def _open(
    subject: Survey,
    settings: Config,
    chosen_models: Models,
    open_journal: Callable[[], Journal],
    say: Callable[[str], None],
    *,
    keep_on_cancel: bool = True,
    own: tuple[str, ...] = (),
) -> AbstractAsyncContextManager[Session]:
    return open_session(
        subject,
        chosen_models,
        {name: ANALYZERS[name](LANGUAGES) for name in analyzers(settings)} | _others(subject),
        limits(settings, own, chosen_models.reader.name if chosen_models.reader else ""),
        languages=LANGUAGES,
        lenses=lenses(settings),
        journal=open_journal(),
        settings=settings.record(),
        keep_on_cancel=keep_on_cancel,
        say=say,
        effort=settings.effort,
        walkthrough=settings.walkthrough,
    )


def _others(subject: Survey) -> dict[str, Analyzer]:
    """What other tools have reported and what consumers lose, if anybody has named them."""
    others: dict[str, Analyzer] = {}
    if subject.consumers.reports:
        from bot.analyzers.consumers import ConsumerFindings

        checked = frozenset(one.name for one in subject.consumers.reports if one.state == "checked")
        others["consumers"] = ConsumerFindings(subject.consumers.findings, checked)
    if not subject.other_inputs.keys().isdisjoint({"sarif", "sarif_runs"}):
        from bot.analyzers.sarif import Sarif

        results = tuple(sarif_results.restore(subject.other_inputs.get("sarif", ())))
        others["sarif"] = Sarif(results, tuple(_tool_runs(subject.other_inputs)))
    return others


def _tool_runs(journal_values: Mapping[str, Any]) -> Iterator[ToolRun]:
    """The runs of other tools that a journal has kept."""
    for tool, files, unread in journal_values.get("sarif_runs", ()):
        yield ToolRun(tool, None if files is None else tuple(files), tuple(unread))


def _reports(flags: Mapping[str, Any]) -> tuple[ToolResult, ...]:
    """The results in the files of `--sarif`, compared with those of `--sarif-base` if there are any."""
    results, base = (
        tuple(each for name, data in flags.get(option) or () for each in sarif_results.read(data, name))
        for option in ("sarif", "sarif_base")
    )
    return sarif_results.mark_new(results, base) if flags.get("sarif_base") else results


def _record(flags: Mapping[str, Any], default: str | None) -> Iterator[tuple[str, str]]:
    """The journal with what names it: the option before the environment."""
    for option, name in (("--trace", flags.get("trace")), ("--journal", flags.get("journal") or default)):
        if name:
            yield option if name != default else "DEEPREPO_JOURNAL", str(name)
            return


def journal(flags: Mapping[str, Any], default: str | None, pull: PullRequest) -> Journal:
    """Where this review is recorded: a journal that is resumed, a trace that is begun again, or memory.

    A folder holds one for each change.
    """
    kept_path, fresh = flags.get("journal"), flags.get("trace")
    if kept_path and fresh:
        raise UsageError("give one of --journal and --trace: a journal is a trace that a second run resumes")
    journal_path = fresh or kept_path or default
    path = Path(journal_path) if journal_path else None
    if path is not None and path.is_dir():
        path /= f"{pull.base[:12]}-{pull.head[:12]}.jsonl"
    endpoint = config.telemetry()
    if endpoint is None:
        return Journal(path, fresh=bool(fresh))
    from bot.journal import spans

    return Journal(path, fresh=bool(fresh), watch=spans.exporting(endpoint))


def lenses(settings: Config) -> dict[str, Lens]:
    """The questions that workers may be asked."""
    unknown = set(settings.lenses) - set(LENSES)
    if unknown:
        raise ConfigError(f"unknown lenses {', '.join(sorted(unknown))}: known are {', '.join(LENSES)}")
    return {name: lens for name, lens in LENSES.items() if name in settings.lenses}


def analyzers(settings: Config) -> tuple[str, ...]:
    """The analysers that the repository asks for."""
    unknown = set(settings.analyzers) - set(ANALYZERS)
    if unknown:
        raise ConfigError(f"unknown analysers {', '.join(sorted(unknown))}: known are {', '.join(ANALYZERS)}")
    return tuple(settings.analyzers)


def models(settings: Config, address: Callable[[str], str | None], access: Mapping[str, Access] = NOTHING) -> Models:
    """Root and worker as named, or the preferred ones of a provider whose key is set, or none: the review runs offline.

    `address`: where a provider is called, None for its own address. `access`: the same for single models, with their keys.
    """
    root, worker = settings.root, settings.worker
    if settings.strategy == "offline":
        return Models(None, None)
    if not root and not worker:
        root, worker = preferred_models()
    reader = worker or root
    if not reader:
        if settings.strategy != "auto":
            variables = ", ".join(sorted(p.key_variable for p in PROVIDERS.values() if p.needs_key))
            raise UsageError(
                f"the strategy {settings.strategy} needs a model: name one with --worker provider/model, or set one of {variables}"
            )
        return Models(None, None)
    if not root and settings.strategy in WITH_ROOT:
        raise UsageError(f"the strategy {settings.strategy} needs a root model: name one with --root provider/model")
    connected_reader = connected_at(reader, address, settings.timeout, access)
    return Models(connected_at(root, address, settings.timeout, access) if root else None, connected_reader)


def own_servers(
    called_models: Iterable[Model | None], address: Callable[[str], str | None], access: Mapping[str, Access] = NOTHING
) -> tuple[str, ...]:
    """The providers that are called at an address of this machine or of a private network: these bill nobody by the token."""
    providers = set()
    for model in filter(None, called_models):
        provider = PROVIDERS[model.name.partition("/")[0]]
        address_given = access.get(model.name, Access()).base_url
        url = address_given or address(provider.name) or config.first(provider.url_variables) or provider.base_url
        if provider.name not in capacity.OWN_SERVERS and url is not None and capacity.own_server(url):
            providers.add(provider.name)
    return tuple(sorted(providers))


def limits(settings: Config, own: tuple[str, ...] = (), worker: str = "") -> Limits:
    """The hard caps of one review, and how its models are called. A server of the user's own gets few calls at once."""
    return Limits(
        usd=settings.usd,
        tokens=settings.tokens,
        calls=settings.calls,
        seconds=settings.seconds,
        concurrency=settings.concurrency or (capacity.OWN_PLACES if worker.partition("/")[0] in own else None),
        context=settings.context,
        effort=settings.thinking,
        turns=HIGH_TURNS if settings.effort == "high" else Limits().turns,
        own=own,
    )


def in_force(settings: Config) -> Config:
    """The settings with the models that a key brings, where nobody names one."""
    if settings.root or settings.worker or settings.strategy == "offline":
        return settings
    root, worker = preferred_models()
    key_roles = [name for name, model in (("root", root), ("worker", worker)) if model]
    origins = {**settings.origins, **dict.fromkeys(key_roles, "the key that is set")}
    return replace(settings, root=root or settings.root, worker=worker or settings.worker, origins=origins)


def can_ask(settings: Config) -> bool:
    """Whether a question can be put to a model."""
    is_model_set = settings.root or settings.worker or any(preferred_models())
    return bool(is_model_set) and settings.strategy != "offline"


def preferred_models() -> tuple[str | None, str | None]:
    """Root and worker of the first provider whose key is set, where nobody names one."""
    for provider, root, worker in PREFERRED:
        if config.key(PROVIDERS[provider].key_variable):
            return root, worker
    return None, None


def connect_model(name: str, timeout: float = TIMEOUT) -> Model:
    """A model that a person has typed as an option of a command, connected as the environment says."""
    return connected_at(name, lambda _: addresses.address_for_option(name), timeout)


def connected_at(
    name: str,
    address: Callable[[str], str | None],
    timeout: float = TIMEOUT,
    access: Mapping[str, Access] = NOTHING,
) -> Model:
    """A model by its name. `access`: how single models are called; else their provider's `address`, and the environment's key."""
    provider, access_given = provider_of(name), access.get(name, Access())
    return connect(
        name,
        access_given.key or config.key(provider.key_variable),
        access_given.base_url or address(provider.name) or config.first(provider.url_variables),
        timeout,
        region=config.first(provider.region_variables),
        project=config.first(provider.project_variables),
    )
