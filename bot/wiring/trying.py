"""Implement `deeprepo run`: try the `run` section in this folder's settings in this machine's sandbox."""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot import checkout, config, render
from bot.config.defaults import RunSection
from bot.errors import NoCommitError, RevisionError, UsageError
from bot.machine import files
from bot.reproduction.container import SandboxRefused
from bot.reproduction.execute import execute
from bot.reproduction.rig import Rig, rig
from bot.reproduction.runners import judge
from bot.review.reproduction import permission
from bot.values import PullRequest, TypedChange
from bot.values.reproduction import SandboxOutcome, SandboxRun, TestResult
from bot.values.shared_file import SettingsText
from bot.wiring.review import shared_files
from deeprepo.impact.text.paths import is_product

MAX_TEST_BYTES = 1 << 20  # bytes of a test file or settings file
RESULTS: dict[TestResult, str] = {
    "green": "it passes",
    "red": "it fails, as a test of a defect does",
    "fault": "it did not run as a test. Run `deeprepo run` to check whether the dependencies are prepared",
    "limit": "it exceeded a limit in `run`",
}
NOT_ALLOWED = "no. To allow it, set DEEPREPO_RUN=1, or pass --run to `deeprepo review`"
NO_RUNNER = (
    f"no test runner was found. Set `run.test` and `run.files` in {config.FILE}, such as "
    "`run: {test: 'make test FILE={file}', files: 'tests/test_deeprepo_{n}.py'}`"
)


@dataclass(frozen=True, slots=True)
class Trial:
    """The rig for a folder, where its `run` section comes from, and whether it has such a section."""

    rig: Rig
    where: str
    is_written: bool


async def explain(repo: str, scratch: str) -> tuple[list[tuple[str, str]], bool]:
    """Return what a review would run, as rows of name and value, and whether it could run."""
    settings = config.environment()
    async with _trial(repo, scratch) as trial:
        made, limits = trial.rig, trial.rig.limits
        caps = f"{limits.seconds:g} s, {limits.memory >> 20:,} MB of memory, {limits.processes} processes, {limits.disk >> 20:,} MB of files"
        install = made.install or "nothing"
        if not trial.rig.section.network and made.section.prepare is None and (proposal := made.layout.install()):
            install = f"nothing; with `network: true` in the section `run`: {proposal}"
        rows = [
            ("section `run`", trial.where),
            ("running allowed", "yes, by DEEPREPO_RUN" if settings.run else NOT_ALLOWED),
            *_runners(made),
            ("prepare", install),
            ("limits", caps),
        ]
        try:
            sandbox = made.sandbox()
            rows.append(("sandbox", f"{sandbox.program} {sandbox.image}"))
            outcome = await execute(sandbox, SandboxRun(b"", "true", limits=limits))
            rows.append(("sandbox test", f"isolated ({'; '.join(outcome.probe[:3])}; ...)"))
            is_prepared = not made.install
            if made.install:
                archive = await made.archive_path()
                is_prepared = archive.exists()
                rows.append(("prepared", str(archive) if is_prepared else "no: run `deeprepo run --prepare`"))
        except SandboxRefused as error:
            return [*rows, ("sandbox", str(error))], False
        return [*rows, ("next", _next(trial, is_prepared=is_prepared))], True


def _runners(made: Rig) -> list[tuple[str, str]]:
    examples: dict[tuple[str, str], str] = {}
    totals: Counter[tuple[str, str]] = Counter()
    for path in made.layout.paths:
        if is_product(path) and (found := made.layout.runner(path)) is not None:
            key = found[0].name, found[1]
            totals[key] += 1
            examples.setdefault(key, path)
    rows: list[tuple[str, str]] = []
    for key, number in totals.most_common():
        if (how := made.layout.recipe(made.section, examples[key])) is not None:
            where = f" in {how.folder}" if how.folder else ""
            rows.append(
                (
                    "test runner",
                    f"{how.runner.name or 'your own command'}{where}, to test {render.count(number, 'source file')}",
                )
            )
            rows += [("  command", how.test), ("  new test files", how.files)]
    if not rows:
        raise SandboxRefused(NO_RUNNER)
    return rows


def _next(trial: Trial, *, is_prepared: bool) -> str:
    made = trial.rig
    if not trial.is_written:
        needs = made.section.prepare is None and made.layout.install()
        line = "`run: {network: true}`, so that the packages can be installed," if needs else "`run: {}`"
        return f"add {line} to {config.FILE}, and run `deeprepo run` again"
    if not is_prepared:
        switch = "DEEPREPO_RUN_NETWORK=1 " if made.section.network and not made.permission.network else ""
        return f"`{switch}deeprepo run --prepare`"
    return "`deeprepo run --test FILE` with a test file of yours"


async def prepare(repo: str, scratch: str, tell: Callable[[str], None]) -> str:
    """Install the dependencies again, and return a sentence about the result. Raises SandboxRefused."""
    async with _trial(repo, scratch) as trial:
        made = trial.rig
        if not made.install:
            if made.section.prepare is None and (proposal := made.layout.install()):
                return f"nothing is prepared. Add `run: {{network: true}}` to {config.FILE}, so that this command can run: {proposal}"
            return "nothing to prepare: no lock file was found, and `run.prepare` is not set. Try `deeprepo run --test FILE`"
        tell(f"running `{made.install}` at the base commit")
        path = await made.archive_path()
        files.remove(path)
        outcome = await made.prepare()
        seconds = outcome.seconds if outcome is not None else 0.0
        size = path.stat().st_size / (1 << 20)
        return f"prepared in {seconds:.1f} s: {size:,.1f} MB in {path}; next: `deeprepo run --test FILE` with a test file of yours"


async def run_test(
    repo: str, name: str, scratch: str, tell: Callable[[str], None]
) -> tuple[TestResult, SandboxOutcome]:
    """Run a test file in the folder on the head, and return its result and outcome.

    Raises SandboxRefused, and UsageError if there is no such file.
    """
    async with _trial(repo, scratch) as trial:
        made = trial.rig
        relative, data = _test(repo, name)
        how = made.layout.recipe(made.section, relative)
        if how is None:
            raise SandboxRefused(NO_RUNNER)
        command = how.command(relative)
        tell(f"running `{command}` on the head")
        outcome = await made.run("head", command, {relative: data.decode("utf-8", "surrogateescape")}, how.folder)
        return judge(how.runner, outcome), outcome


def _test(repo: str, name: str) -> tuple[str, bytes]:
    top = Path(repo).resolve()
    path = Path(name).resolve() if Path(name).exists() else (top / name).resolve()
    data = files.content(path, MAX_TEST_BYTES) if path.is_relative_to(top) else None
    if data is None:
        raise UsageError(f"there is no file {name} in {repo}: use a test file in the repository")
    return path.relative_to(top).as_posix(), data


@asynccontextmanager
async def _trial(repo: str, scratch: str) -> AsyncIterator[Trial]:
    """Yield the trial with the `run` section from this folder's settings, or from the base branch."""
    allowed = permission(config.environment())
    pull, note = await _pull(repo, scratch)
    async with checkout.Checkout(pull) as tree:
        shared = await shared_files(pull, config.environment(), scratch)

        def section(text: SettingsText) -> RunSection | None:
            return config.resolve({}, text, config.Settings(), shared=shared).run

        chosen, where = section(await tree.settings_at_tip(config.FILE)), "on the base branch"
        settings_file = files.content(Path(repo, config.FILE), MAX_TEST_BYTES)
        if settings_file is not None and section(settings_file) != chosen:
            chosen, where = (
                section(settings_file),
                f"in this folder. Reviews use it once {config.FILE} is merged into the base branch",
            )
        if chosen is None:
            where = f"missing. Nothing is run until {config.FILE} on the base branch has this section, for example `run: {{}}`"
        yield Trial(await rig(tree, pull, chosen or RunSection(), allowed), f"{where}{note}", chosen is not None)


async def _pull(repo: str, scratch: str) -> tuple[PullRequest, str]:
    """Return this folder's change, and a note. If the default branch is unknown, both sides are HEAD."""
    try:
        return await checkout.pull(TypedChange(repo), scratch), ""
    except NoCommitError as error:
        raise UsageError("this branch has no commits yet. Commit something, then run `deeprepo run` again") from error
    except RevisionError:
        pull = await checkout.pull(TypedChange(repo, base="HEAD", head="HEAD"), scratch)
        return pull, " (no base branch was found, so HEAD is used)"
