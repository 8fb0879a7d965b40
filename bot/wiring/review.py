"""The parts of a review of a local change, of its replay and of its rehearsal."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot import checkout, config
from bot.analyzers import ANALYZERS
from bot.config import Config
from bot.errors import ConfigError, UsageError
from bot.findings import reported
from bot.journal import codec
from bot.journal.codec import Start
from bot.journal.writer import Journal
from bot.languages import LANGUAGES
from bot.languages.faults import faults
from bot.llm import capacity
from bot.models import PROVIDERS, TIMEOUT, connect, named, prices, warm
from bot.pipeline import Deps
from bot.ports import Analyzer, Lens, Model
from bot.review.lenses import LENSES
from bot.review.opening import Models, Survey, open_session
from bot.review.session import Session
from bot.values import Limits, OwnerRule, PullRequest
from bot.values.reported import Reported, ToolRun
from bot.wiring import addresses
from bot.wiring.addresses import Access

if TYPE_CHECKING:
    from bot.journal.reader import Record, Section
    from bot.review.running.values import RunPermission

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
    hosted: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    access: Mapping[str, Access] = NOTHING,
) -> Deps:
    """The parts of a review of a local change. `open_journal` opens its journal; without it the flags and the environment name one.

    `hosted`: under the ceilings of a server. `tell` is given what a person has to know before anything is spent. `access` is how
    models are called that a program names with a key or an address of their own.
    """
    settings = config.environment(hosted=hosted)
    likely = flags.get("worker") or settings.worker or flags.get("root") or settings.root
    alone = {"offline", "none"} & {flags.get("strategy"), settings.strategy, flags.get("effort"), settings.effort}
    if likely and not alone:
        warm(likely)

    def opening(subject: Survey, resolved: Config) -> AbstractAsyncContextManager[Session]:
        where = partial(addresses.address, flags=flags, settings=settings)
        chosen = models(resolved, where, access)
        own = own_servers((chosen.root, chosen.reader), where, access)
        if chosen.reader is not None and resolved.chosen():
            tell(resolved.chosen())
        opened = open_journal or partial(journal, flags, settings.journal)
        return _open(
            subject, resolved, chosen, partial(opened, subject.pull), say, keep_on_cancel=keep_on_cancel, own=own
        )

    return Deps(
        languages=LANGUAGES,
        faults=faults,
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
        tool_runs=tuple(each for name, data in flags.get("sarif") or () for each in reported.runs(data, name)),
        running=running(settings, flags),
        deciding=(*flags.get("deciding", ()), *(() if open_journal else _record(flags, settings.journal))),
    )


def replay(recorded: "Record", section: "Section", begun: Start, scratch: str, repo: str | None) -> Deps:
    """The parts of a review that is done again from its record: no provider, no environment, no clock."""
    from bot.journal import replay as replays

    def opening(subject: Survey, resolved: Config) -> AbstractAsyncContextManager[Session]:
        chosen = Models(*replays.models(begun, section))
        own = tuple(begun.given.get("own", ()))
        return _open(subject, resolved, chosen, lambda: replays.Replay(recorded, section), lambda _: None, own=own)

    return Deps(
        languages=LANGUAGES,
        faults=faults,
        open_session=opening,
        settings=config.Settings(),
        flags=begun.settings,
        scratch=scratch,
        clock=lambda: 0.0,
        say=lambda _: None,
        pull=replays.pull(begun, repo, checkout.pull),
        today=lambda: date.fromisoformat(begun.given["today"]),
        earlier=codec.given(begun.given["earlier"]),
        full=begun.given["full"],
        local=codec.given(begun.given.get("local")),
        ignored=tuple(
            (mark, reason, *(scope or ("finding",))) for mark, reason, *scope in begun.given.get("ignored", ())
        ),
        rules=tuple(OwnerRule(**row) for row in begun.given.get("rules", ())),
        note=begun.given.get("note", ""),
        reports=tuple(reported.restored(begun.given.get("sarif", ()))),
        tool_runs=tuple(_tool_runs(begun.given)),
        masked=bool(begun.given.get("masked")),
        running=_recorded_runs() if begun.given.get("run") else None,
    )


def running(settings: config.Settings, flags: Mapping[str, Any]) -> "RunPermission | None":
    """What the operator, or the person at the terminal, allows to run in a sandbox; None: nothing, and nothing of it is loaded.

    `flags`: "allow_run" was typed; "foreign" is a change by somebody who may not write to the repository.
    """
    typed = flags.get("allow_run")
    if not (settings.run if typed is None else typed):
        return None
    from bot.review.running.values import RunPermission

    refused = flags.get("foreign") and not settings.run_forks
    return RunPermission(
        sandbox=settings.run_sandbox,
        tools=tuple(filter(None, (settings.run_tools or "").split(":"))),
        network=bool(settings.run_network),
        cache=Path(settings.run_cache or "~/.cache/deeprepo/run").expanduser(),
        programs=config.programs(),
        refusal="it comes from somebody who may not write to the repository, and DEEPREPO_RUN_FORKS is not set"
        if refused
        else "",
    )


def _recorded_runs() -> "RunPermission":
    """Of a replay: every outcome is in its record, and nothing is started."""
    from bot.review.running.values import RunPermission

    return RunPermission()


def rehearsal(flags: Mapping[str, Any], scratch: str, say: Callable[[str], None]) -> Deps:
    """The parts of an estimate: the change is read, and models weigh prompts instead of answering them. No key is needed."""
    from bot.agent.dry_run import DryRun

    def opening(subject: Survey, resolved: Config) -> AbstractAsyncContextManager[Session]:
        root, worker = resolved["root"], resolved["worker"]
        if not root and not worker:
            root, worker = preferred()
        if not root and not worker:
            _, root, worker = PREFERRED[0]
        weighed = [DryRun(n, partial(prices.dollars, n)) if n and named(n) else None for n in (root, worker or root)]
        unlimited = Limits(usd=None, tokens=None, calls=None, seconds=None)
        asked = lenses(resolved)
        return open_session(
            subject,
            Models(*weighed),
            {},
            unlimited,
            languages=LANGUAGES,
            lenses=asked,
            effort=resolved["effort"],
            walkthrough=resolved["walkthrough"],
        )

    return replace(deps(flags, scratch, say), open_session=opening, deciding=tuple(flags.get("deciding", ())))


def _open(
    subject: Survey,
    resolved: Config,
    chosen: Models,
    open_journal: Callable[[], Journal],
    say: Callable[[str], None],
    *,
    keep_on_cancel: bool = True,
    own: tuple[str, ...] = (),
) -> AbstractAsyncContextManager[Session]:
    return open_session(
        subject,
        chosen,
        {name: ANALYZERS[name](LANGUAGES) for name in analyzers(resolved)} | _others(subject),
        limits(resolved, own, chosen.reader.name if chosen.reader else ""),
        languages=LANGUAGES,
        lenses=lenses(resolved),
        journal=open_journal(),
        settings={name: value.value for name, value in resolved.values.items()},
        keep_on_cancel=keep_on_cancel,
        say=say,
        effort=resolved["effort"],
        walkthrough=resolved["walkthrough"],
    )


def _others(subject: Survey) -> dict[str, Analyzer]:
    """What other tools have reported, if anybody has handed it over."""
    if subject.given.keys().isdisjoint({"sarif", "sarif_runs"}):
        return {}
    from bot.analyzers.sarif import Sarif

    found = tuple(reported.restored(subject.given.get("sarif", ())))
    return {"sarif": Sarif(found, tuple(_tool_runs(subject.given)))}


def _tool_runs(given: Mapping[str, Any]) -> Iterator[ToolRun]:
    """The runs of other tools that a journal has kept."""
    for tool, files in given.get("sarif_runs", ()):
        yield ToolRun(tool, None if files is None else tuple(files))


def _reports(flags: Mapping[str, Any]) -> tuple[Reported, ...]:
    """The results in the files of `--sarif`, compared with those of `--sarif-base` if there are any."""
    found, base = (
        tuple(each for name, data in flags.get(option) or () for each in reported.read(data, name))
        for option in ("sarif", "sarif_base")
    )
    return reported.compared(found, base) if flags.get("sarif_base") else found


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
    kept, fresh = flags.get("journal"), flags.get("trace")
    if kept and fresh:
        raise UsageError("give one of --journal and --trace: a journal is a trace that a second run resumes")
    named = fresh or kept or default
    path = Path(named) if named else None
    if path is not None and path.is_dir():
        path /= f"{pull.base[:12]}-{pull.head[:12]}.jsonl"
    endpoint = config.telemetry()
    if endpoint is None:
        return Journal(path, fresh=bool(fresh))
    from bot.journal import spans

    return Journal(path, fresh=bool(fresh), watch=spans.exporting(endpoint))


def lenses(resolved: Config) -> dict[str, Lens]:
    """The questions that workers may be asked."""
    unknown = set(resolved["lenses"]) - set(LENSES)
    if unknown:
        raise ConfigError(f"unknown lenses {', '.join(sorted(unknown))}: known are {', '.join(LENSES)}")
    return {name: lens for name, lens in LENSES.items() if name in resolved["lenses"]}


def analyzers(resolved: Config) -> tuple[str, ...]:
    """The analysers that the repository asks for."""
    unknown = set(resolved["analyzers"]) - set(ANALYZERS)
    if unknown:
        raise ConfigError(f"unknown analysers {', '.join(sorted(unknown))}: known are {', '.join(ANALYZERS)}")
    return tuple(resolved["analyzers"])


def models(resolved: Config, address: Callable[[str], str | None], access: Mapping[str, Access] = NOTHING) -> Models:
    """Root and worker as named, or the preferred ones of a provider whose key is set, or none: the review runs offline.

    `address`: where a provider is called, None for its own address. `access`: the same for single models, with their keys.
    """
    root, worker = resolved["root"], resolved["worker"]
    if resolved["strategy"] == "offline":
        return Models(None, None)
    if not root and not worker:
        root, worker = preferred()
    if not root and not worker:
        if resolved["strategy"] != "auto":
            variables = ", ".join(sorted(p.key_variable for p in PROVIDERS.values() if p.needs_key))
            raise UsageError(
                f"the strategy {resolved['strategy']} needs a model: name one with --worker provider/model, or set one of {variables}"
            )
        return Models(None, None)
    if not root and resolved["strategy"] in {"cascade", "rlm", "rlm-only"}:
        raise UsageError(f"the strategy {resolved['strategy']} needs a root model: name one with --root provider/model")
    timeout = resolved["timeout"]
    reader = connected_at(worker or root, address, timeout, access)
    return Models(connected_at(root, address, timeout, access) if root else None, reader)


def own_servers(
    called: Iterable[Model | None], address: Callable[[str], str | None], access: Mapping[str, Access] = NOTHING
) -> tuple[str, ...]:
    """The providers that are called at an address of this machine or of a private network: these bill nobody by the token."""
    found = set()
    for model in filter(None, called):
        provider = PROVIDERS[model.name.partition("/")[0]]
        given = access.get(model.name, Access()).base_url
        url = given or address(provider.name) or config.first(provider.url_variables) or provider.base_url
        if provider.name not in capacity.OWN_SERVERS and url is not None and capacity.own_server(url):
            found.add(provider.name)
    return tuple(sorted(found))


def limits(resolved: Config, own: tuple[str, ...] = (), worker: str = "") -> Limits:
    """The hard caps of one review, and how its models are called. A server of the user's own gets few calls at once."""
    return Limits(
        usd=resolved["usd"],
        tokens=resolved["tokens"],
        calls=resolved["calls"],
        seconds=resolved["seconds"],
        concurrency=resolved["concurrency"] or (capacity.OWN_PLACES if worker.partition("/")[0] in own else None),
        context=resolved["context"],
        effort=resolved["thinking"],
        turns=HIGH_TURNS if resolved["effort"] == "high" else Limits().turns,
        own=own,
    )


def in_force(resolved: Config) -> Config:
    """The settings with the models that a key brings, where nobody names one."""
    if resolved["root"] or resolved["worker"] or resolved["strategy"] == "offline":
        return resolved
    pair = zip(("root", "worker"), preferred(), strict=True)
    brought = {name: config.Value(model, "the key that is set") for name, model in pair if model}
    return replace(resolved, values={**resolved.values, **brought})


def can_ask(settings: Config) -> bool:
    """Whether a question can be put to a model."""
    named = settings["root"] or settings["worker"] or any(preferred())
    return bool(named) and settings["strategy"] != "offline"


def preferred() -> tuple[str | None, str | None]:
    """Root and worker of the first provider whose key is set, where nobody names one."""
    for provider, root, worker in PREFERRED:
        if config.key(PROVIDERS[provider].key_variable):
            return root, worker
    return None, None


def connected(name: str, timeout: float = TIMEOUT) -> Model:
    """A model that a person has typed as an option of a command, connected as the environment says."""
    return connected_at(name, lambda _: addresses.typed(name), timeout)


def connected_at(
    name: str,
    address: Callable[[str], str | None],
    timeout: float = TIMEOUT,
    access: Mapping[str, Access] = NOTHING,
) -> Model:
    """A model by its name. `access`: how single models are called; else their provider's `address`, and the environment's key."""
    provider, given = named(name), access.get(name, Access())
    return connect(
        name,
        given.key or config.key(provider.key_variable),
        given.base_url or address(provider.name) or config.first(provider.url_variables),
        timeout,
        region=config.first(provider.region_variables),
        project=config.first(provider.project_variables),
    )
