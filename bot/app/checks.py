"""Implement `deeprepo serve --check`: test the settings and report on them without showing secrets."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from bot import config, storage
from bot.app import manifest
from bot.config.server import App, Server, ServerOptions
from bot.errors import DeepRepoError, HostError, UsageError
from bot.github import Identity, RequestPace, apps
from bot.machine import files

# The root and worker models that a review would use
ChooseModels = Callable[[], tuple[str | None, str | None]]
# Permissions and events that the App cannot work without
REQUIRED = frozenset({"pull_request", "issue_comment", "pull_requests", "contents", "checks", "metadata"})
LEVELS = {"read": 1, "write": 2, "admin": 3}


@dataclass(frozen=True, slots=True)
class CheckedItem:
    """The result of one check: what was checked, a sentence about it, and whether it works."""

    what: str
    sentence: str
    works: bool = True

    @property
    def mark(self) -> str:
        """The mark at the beginning of the item's line."""
        return "ok" if self.works else "!!"


NO_APP = CheckedItem(
    "GitHub App", "no credentials. Run `deeprepo serve` and open the setup page it prints", works=False
)


async def checks(settings: Server, choose_models: ChooseModels, model_fault: str = "") -> list[CheckedItem]:
    """Check everything that a server needs, and return one item for each.

    `model_fault`: why a configured model can't be used on this machine, or "" if it can.
    """
    options, limits = settings.options, config.environment(on_server=True)
    public = f", for GitHub {options.public_url}" if options.public_url else ""
    root, worker = choose_models()
    models = f"root model {root or 'none'}, worker model {worker or root}"
    return [
        CheckedItem("address", f"http://{options.host}:{options.port}{public}"),
        await asyncio.to_thread(_folder, options),
        await _database(settings),
        *([line async for line in _github(settings.app, options)] if settings.app is not None else (NO_APP,)),
        CheckedItem(
            "models",
            model_fault or (models if root or worker else "none, so reviews run only static checks"),
            works=not model_fault,
        ),
        CheckedItem("review limit", f"${limits.cap_usd:.2f} per review"),
        CheckedItem(
            "daily limits",
            f"${limits.cap_usd_per_day_repository:.2f} per repository, "
            f"${limits.cap_usd_per_day_installation:.2f} per installation, ${limits.cap_usd_per_day:.2f} in total",
        ),
    ]


def _folder(options: ServerOptions) -> CheckedItem:
    try:
        files.folder(options.data, private=True)
        with tempfile.TemporaryFile(dir=options.data):
            pass
    except UsageError as error:
        return CheckedItem("data", str(error), works=False)
    except OSError as error:
        return CheckedItem("data", f"{options.data} cannot be written: {error.strerror}", works=False)
    return CheckedItem("data", f"{options.data}, {shutil.disk_usage(options.data).free / 1e9:.1f} GB free")


async def _database(settings: Server) -> CheckedItem:
    """A missing SQLite file is not an error."""
    try:
        problem = await storage.check(settings.database)
    except DeepRepoError as error:
        problem = str(error)
    kind = "PostgreSQL, which workers can share" if settings.url else "SQLite in the data folder, for one server"
    return CheckedItem("database", problem or kind, works=not problem)


async def _github(app: App, options: ServerOptions) -> AsyncIterator[CheckedItem]:
    """Yield whether GitHub accepts the App's key, and which permissions and events the App lacks."""
    try:
        identity = Identity(app.app_id, app.private_key, options.github_api)
        registration = await apps.read_app(identity, RequestPace(backoff=0.2, patience=0, timeout=10))
    except (HostError, UsageError) as error:
        yield CheckedItem("GitHub App", f"{app.app_id}: {error}", works=False)
        return
    yield CheckedItem("GitHub App", f"{registration['slug']} ({app.app_id}) at {options.github_api}")
    permissions, events = registration.get("permissions") or {}, registration.get("events") or ()
    missing = {
        name: need for name, need in manifest.PERMISSIONS.items() if not _is_sufficient(permissions.get(name), need)
    }
    # Read access to contents is enough for reviews. Without write access, threads aren't resolved, and
    # `/deeprepo fix` only shows a patch.
    required = REQUIRED & missing.keys() - ({"contents"} if permissions.get("contents") else set())
    yield _missing_item("permissions", [f"{name}: {need}" for name, need in missing.items()], bad=bool(required))
    missing_events = [name for name in manifest.EVENTS if name not in events]
    yield _missing_item("events", missing_events, bad=not REQUIRED.isdisjoint(missing_events))


def _missing_item(what: str, missing: list[str], *, bad: bool) -> CheckedItem:
    effect = "" if bad else "enough for reviews, but "
    why = f"{effect}missing in the App's settings on GitHub: {', '.join(missing)}"
    return CheckedItem(what, why if missing else "complete", works=not bad)


def _is_sufficient(has: str | None, need: str) -> bool:
    return LEVELS.get(has or "", 0) >= LEVELS[need]
