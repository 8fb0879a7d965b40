"""Open what the library needs for a question about texts: models, limits and the journal."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from bot import config
from bot.errors import UsageError
from bot.machine.fact_files import DEFAULT_FOLDER, keep_facts
from bot.review.agent import texts
from bot.review.journal import open_file
from bot.wiring.access import Access, Connections, named_models
from deeprepo.rlm.journal.writer import Journal, Watch
from deeprepo.rlm.models import PROVIDERS
from deeprepo.rlm.values import Limits, Model
from deeprepo.texts.dialogue import Inquiry, TextQuestion


@dataclass(frozen=True, slots=True)
class ChosenModels:
    """The models that a program has chosen, and how they are called.

    `workers` maps the names used in the root model's code to models. `share`: how many runs share the limits.
    """

    root: str | None = None
    worker: str | None = None
    workers: Mapping[str, str] = field(default_factory=dict)
    access: Mapping[str, Access] = field(default_factory=dict)
    share: int = 1


@asynccontextmanager
async def open_inquiry(
    chosen: ChosenModels, limits: Limits, path: Path | None, watch: Watch | None, question: TextQuestion
) -> AsyncIterator[Inquiry]:
    """Connect to the models and open the journal. The operator's limits apply too. Raises UsageError."""
    settings = config.environment()
    keep_facts(settings.cache or DEFAULT_FOLDER)
    first = next(iter(chosen.workers.values()), chosen.worker)
    root, worker = _choose_models(chosen.root, first, settings)
    workers = list(chosen.workers.values()) or [worker]
    without_url = [model for model in (root, worker) if not chosen.access.get(model, Access()).base_url]
    flags = dict(zip(("root", "worker"), without_url, strict=False))
    connections = Connections(settings, flags, chosen.access)
    usd = min((cap for cap in (limits.usd, settings.cap_usd) if cap is not None), default=None)
    connections.check_known((root, *workers), usd)
    models: dict[str, Model] = {}
    async with AsyncExitStack() as stack:
        for name in dict.fromkeys((root, *workers)):
            models[name] = connections.connect(name)
            stack.push_async_callback(models[name].close)
        limits = replace(
            limits,
            usd=None if usd is None else usd / chosen.share,
            tokens=None if limits.tokens is None else limits.tokens // chosen.share,
            calls=None if limits.calls is None else limits.calls // chosen.share,
        )
        recorded_limits = asdict(limits)
        sampling = {name: one.sampling.on_record for name, one in chosen.access.items() if one.sampling.on_record}
        recorded_limits |= {"sampling": sampling} if sampling else {}
        readers = {name: models[model] for name, model in chosen.workers.items()} or models[worker]
        journal = Journal(path, watch=watch, open_file=open_file)
        yield await stack.enter_async_context(
            texts.open_inquiry(question, models[root], readers, limits, journal, recorded_limits)
        )


def _choose_models(root: str | None, worker: str | None, settings: config.Settings) -> tuple[str, str]:
    """Return root and worker: the given models, or the environment's, or those of a provider with a key."""
    if not root and not worker:
        root, worker = named_models(settings)
    first, second = root or worker, worker or root
    if not first or not second:
        variables = ", ".join(sorted(p.key_variable for p in PROVIDERS.values() if p.needs_key))
        raise UsageError(f"no model is configured: pass root='provider/model', or set one of {variables}")
    return first, second
