"""What an owner tries out before a review does it: the section `run` of their folder, the sandbox of this machine."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from bot import checkout, config, files
from bot.config import RunSection
from bot.errors import UsageError
from bot.review.running import prepare as preparing
from bot.review.running.execute import execute
from bot.review.running.presets import Result, judge
from bot.review.running.rig import Rig, Sides, rig
from bot.review.running.values import Outcome, Run, SandboxRefused
from bot.values import OrganizationFile, ReviewRequest
from bot.wiring.review import organization_reader, running

MOST = 1 << 20  # bytes of a test file, and of the settings
RESULTS: Mapping[Result, str] = {
    "green": "it passes",
    "red": "it fails, as a test of a defect does",
    "fault": "it did not run as a test: a review would have it mended, or give it up",
    "limit": "it went over a limit of `run`",
}
NOT_ALLOWED = "not yet: set DEEPREPO_RUN=1, or give --run to `deeprepo review`"


async def explain(repo: str, scratch: str) -> tuple[list[tuple[str, str]], bool]:
    """Return what a review would run, as names and values, and whether it could."""
    settings = config.environment()
    async with _rig(repo, scratch) as (made, where):
        rows = [
            ("section `run`", where),
            ("allowed", "yes, by DEEPREPO_RUN" if settings.run else NOT_ALLOWED),
            ("test runner", made.how.preset.name or "of your own"),
            ("test", made.how.test),
            ("new test files", made.how.files),
            ("prepare", made.how.prepare or f"nothing{_hint(made)}"),
            ("limits", _limits(made)),
        ]
        try:
            sandbox = made.sandbox()
            rows.append(("sandbox", " ".join(filter(None, (sandbox.kind, sandbox.program, sandbox.image)))))
            outcome = await execute(sandbox, Run(b"", "true", limits=made.limits))
            rows.append(("its probe", f"reaches nothing outside ({'; '.join(outcome.probe[:3])}; ...)"))
            if made.how.prepare:
                known = preparing.Cache(made.permission.cache).path(await made.key())
                rows.append(("prepared", str(known) if known.exists() else "no: run `deeprepo run --prepare`"))
        except SandboxRefused as error:
            rows.append(("sandbox", str(error)))
            return rows, False
        return rows, True


async def prepare(repo: str, scratch: str, tell: Callable[[str], None]) -> str:
    """Prepare again; a sentence about what came of it. Raises SandboxRefused."""
    async with _rig(repo, scratch) as (made, _):
        if not made.how.prepare:
            return f"there is nothing to prepare: `run.prepare` is not set{_hint(made)}"
        tell(f"running `{made.how.prepare}` at the base commit")
        path = preparing.Cache(made.permission.cache).path(await made.key())
        files.remove(path)
        outcome = await made.prepare()
        size = path.stat().st_size / (1 << 20)
        seconds = outcome.seconds if outcome is not None else 0.0
        return f"prepared in {seconds:.1f} s: {size:,.1f} MB in {path}"


async def run_test(repo: str, name: str, scratch: str, tell: Callable[[str], None]) -> tuple[Result, Outcome]:
    """Run a test file of the folder over the head. Raises SandboxRefused, and UsageError if there is no such file."""
    async with _rig(repo, scratch) as (made, _):
        relative, data = _test(repo, name)
        command = made.how.command(relative)
        tell(f"running `{command}` over the head")
        outcome = await made.run("head", command, {relative: data.decode("utf-8", "surrogateescape")})
        return judge(made.how.preset, outcome), outcome


def _test(repo: str, name: str) -> tuple[str, bytes]:
    """The path of a test file in its repository, and its content. Raises UsageError."""
    top = Path(repo).resolve()
    path = Path(name).resolve() if Path(name).exists() else (top / name).resolve()
    data = files.content(path, MOST) if path.is_relative_to(top) else None
    if data is None:
        raise UsageError(f"there is no file {name} in {repo}: name a test file of the repository")
    return path.relative_to(top).as_posix(), data


@asynccontextmanager
async def _rig(repo: str, scratch: str) -> AsyncIterator[tuple[Rig, str]]:
    """The rig by the section of this folder's file, and where that is from."""
    permission = running(config.environment(), {"allow_run": True})
    pull = await checkout.pull(ReviewRequest(repo), scratch)
    async with checkout.Checkout(pull) as tree:
        base = await tree.at_tip(config.FILE)
        here = files.content(Path(repo, config.FILE), MOST)
        read_defaults = organization_reader(config.environment(), scratch)
        defaults = await read_defaults(pull) if read_defaults else None
        section, where = _section(base, defaults), "of the base branch: reviews use it"
        if here is not None and _section(here, defaults) != section:
            section, where = (
                _section(here, defaults),
                f"of this folder: reviews use it once {config.FILE} is on the base branch",
            )
        if section is None:
            where = f"missing: nothing is run until {config.FILE} of the base branch has one, such as `run: {{}}`"
        sides = Sides(pull.url or pull.git_dir, tree.entries, tree.archive, tree.read)
        made = await rig(sides, section or RunSection(), permission) if permission is not None else None
        if made is None:
            raise SandboxRefused(
                f"no test runner was found: set `run.test` and `run.files` in {config.FILE}, such as "
                "`run: {test: 'make test FILE={file}', files: 'tests/test_deeprepo_{n}.py'}`"
            )
        yield made, where


def _section(text: bytes | None, defaults: OrganizationFile | None) -> RunSection | None:
    return config.resolve({}, text, config.Settings(), organization=defaults).run


def _hint(rig: Rig) -> str:
    usual = rig.how.preset.prepare
    return f" (usual with {rig.how.preset.name}: `{usual}`)" if usual else ""


def _limits(rig: Rig) -> str:
    caps = rig.limits
    return f"{caps.seconds:g} s, {caps.memory >> 20:,} MB of memory, {caps.processes} processes, {caps.disk >> 20:,} MB of files"
