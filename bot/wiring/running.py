"""What an owner tries out before a review does it: the section `run` of their folder, the sandbox of this machine."""

import os
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot import checkout, config, render
from bot.config import RunSection
from bot.errors import NoCommitError, RevisionError, UsageError
from bot.machine import files
from bot.review.running import prepare as preparing
from bot.review.running.execute import execute, readable
from bot.review.running.layout import folder_of
from bot.review.running.presets import Result, judge
from bot.review.running.rig import Rig, Sides, rig
from bot.review.running.runners import Recipe, language_of
from bot.review.running.values import BOX, Outcome, Run, Sandbox, SandboxRefused
from bot.text.paths import is_product, is_sample, vendored_folder
from bot.values import OrganizationFile, PullRequest, ReviewRequest
from bot.wiring.review import organization_of, running

MOST = 1 << 20  # bytes of a test file, and of the settings
PROGRAMS = (
    "python3",
    "node",
    "npm",
    "go",
    "cargo",
    "java",
    "mvn",
    "gradle",
    "bundle",
    "php",
    "composer",
    "dotnet",
)  # that a machine has, or not
SHOWN = 8  # packages whose runner is listed, and files that are named
RESULTS: Mapping[Result, str] = {
    "green": "it passes",
    "red": "it fails, as a test of a defect does",
    "fault": "it did not run as a test: a review would have it mended, or give it up",
    "limit": "it went over a limit of `run`",
}
NOT_ALLOWED = "not yet: set DEEPREPO_RUN=1, or give --run to `deeprepo review`"
NO_RUNNER = (
    f"no test runner was found: set `run.test` and `run.files` in {config.FILE}, such as "
    "`run: {test: 'make test FILE={file}', files: 'tests/test_deeprepo_{n}.py'}`"
)


@dataclass(frozen=True, slots=True)
class Trial:
    """The tests of a folder, ready to be tried. `where`: what the section is from; `is_written`: whether there is one."""

    rig: Rig
    where: str
    is_written: bool


async def explain(repo: str, scratch: str) -> tuple[list[tuple[str, str]], bool]:
    """Return what a review would run, as names and values, and whether it could."""
    settings = config.environment()
    async with _trial(repo, scratch) as trial:
        made = trial.rig
        recipes = _recipes(trial)
        if not recipes:
            raise SandboxRefused(NO_RUNNER)
        rows = [
            ("section `run`", trial.where),
            ("allowed", "yes, by DEEPREPO_RUN" if settings.run else NOT_ALLOWED),
            *_runners(recipes),
            ("prepare", _prepare(made)),
            *([("machine settings", words)] if made.install and (words := _online(made)) else []),
            ("limits", _limits(made)),
        ]
        try:
            sandbox = made.sandbox()
            rows += _programs(made, sandbox, [how.test for how, _ in recipes.values()])
            rows.append(("sandbox", " ".join(filter(None, (sandbox.kind, sandbox.program, sandbox.image)))))
            outcome = await execute(sandbox, Run(b"", "true", limits=made.limits))
            rows.append(("its probe", f"reaches nothing outside ({'; '.join(outcome.probe[:3])}; ...)"))
            is_prepared = False
            if made.install:
                archive = preparing.Cache(made.permission.cache).path(await made.key())
                is_prepared = archive.exists()
                rows.append(("prepared", str(archive) if is_prepared else "no: run `deeprepo run --prepare`"))
        except SandboxRefused as error:
            rows.append(("sandbox", str(error)))
            return rows, False
        rows.append(("next", _next(trial, is_prepared)))
        return rows, True


def _recipes(trial: Trial) -> dict[tuple[str, str], tuple[Recipe, int]]:
    """The ways in which tests of the tree are run, each with the number of files that it is for."""
    nearest: dict[tuple[str, str], list[str]] = {}
    for path in trial.rig.layout.paths:
        language = language_of(path)
        if language and is_product(path) and not is_sample(path) and vendored_folder(path) is None:
            nearest.setdefault((language, trial.rig.layout.package(language, path)), []).append(path)
    recipes: dict[tuple[str, str], tuple[Recipe, int]] = {}
    for paths in sorted(nearest.values(), key=len, reverse=True):
        folder, _ = Counter(map(folder_of, paths)).most_common(1)[0]
        how = trial.rig.recipe(next(path for path in paths if folder_of(path) == folder))
        if how is not None:
            key = (how.test, how.folder)
            first, number = recipes.get(key, (how, 0))
            recipes[key] = (first, number + len(paths))
    return recipes


def _runners(recipes: Mapping[tuple[str, str], tuple[Recipe, int]]) -> list[tuple[str, str]]:
    rows = []
    for how, number in list(recipes.values())[:SHOWN]:
        name = how.preset.name or "of your own"
        where = f" in {how.folder}" if how.folder else ""
        rows.append(("test runner", f"{name}{where}, for {render.count(number, 'file')}"))
        rows += [("  test", how.test), ("  new tests, such as", how.files)]
    if len(recipes) > SHOWN:
        rows.append(("test runner", f"and {len(recipes) - SHOWN} more"))
    return rows


def _prepare(rig: Rig) -> str:
    if rig.install:
        return (
            rig.install if rig.section.prepare is not None else f"{rig.install} (found by the files of the repository)"
        )
    if rig.section.prepare is None and rig.proposal:
        return f"nothing; with `network: true` in the section `run`: {rig.proposal}"
    return "nothing"


def _programs(rig: Rig, sandbox: Sandbox, tests: Sequence[str]) -> list[tuple[str, str]]:
    """The programs that the sandbox lacks or has in another version than this terminal, and how it gets them."""
    if sandbox.kind != "bubblewrap":
        return []
    inside = ":".join(part for part in sandbox.path().split(":") if not part.startswith(BOX))
    words = set(re.findall(r"[\w.]+", " ".join([rig.install, *tests])))
    rows = []
    for name in PROGRAMS:
        if name not in words:
            continue
        here, there = shutil.which(name, path=rig.permission.programs.get("PATH", "")), shutil.which(name, path=inside)
        mine = Path(here).resolve() if here else None
        if mine is None and there is None:
            rows.append((name, "is not installed: install it, below /usr or with its folder in DEEPREPO_RUN_TOOLS"))
        elif mine is not None and (there is None or Path(there).resolve() != mine):
            folder = (
                mine.parent.parent if mine.parent.name == "bin" and mine.name == name else f"a folder with bin/{name}"
            )
            is_there = (
                f"is {there} in the sandbox, and {here} here: for yours,"
                if there
                else f"is not in the sandbox; it is {here} here:"
            )
            rows.append((name, f"{is_there} set DEEPREPO_RUN_TOOLS={folder}"))
    return rows


def _online(rig: Rig) -> str:
    """What the preparation is handed of this machine's settings."""
    online = rig.permission.online
    words = (
        [", ".join([*online.variables, *(f"~/{name}" for name in online.files if name == ".npmrc")])]
        if online.variables or online.files
        else []
    )
    if online.left_out:
        words.append(f"left out, because they hold a login: {', '.join(online.left_out)}")
    return "; ".join(words)


def _next(trial: Trial, is_prepared: bool) -> str:
    """The one thing to do now."""
    made = trial.rig
    if not trial.is_written:
        needs = made.section.prepare is None and made.proposal
        line = "`run: {network: true}`, so that the packages can be installed," if needs else "`run: {}`"
        return f"write {line} into {config.FILE}, and call `deeprepo run` again"
    if made.install and not is_prepared:
        switch = "DEEPREPO_RUN_NETWORK=1 " if made.section.network and not made.permission.network else ""
        return f"`{switch}deeprepo run --prepare`"
    return "`deeprepo run --test FILE` with a test file of yours"


async def prepare(repo: str, scratch: str, tell: Callable[[str], None]) -> str:
    """Prepare again; a sentence about what came of it. Raises SandboxRefused."""
    async with _trial(repo, scratch) as trial:
        made = trial.rig
        if not made.install:
            if made.section.prepare is None and made.proposal:
                return f"nothing is prepared: write `run: {{network: true}}` into {config.FILE}, so that this can run: {made.proposal}"
            return "there is nothing to prepare: no manifest names a package, and `run.prepare` is not set; try `deeprepo run --test FILE`"
        tell(f"running `{made.install}` at the base commit")
        path = preparing.Cache(made.permission.cache).path(await made.key())
        files.remove(path)
        outcome = await made.prepare()
        _tell_altered(made, tell)
        size = path.stat().st_size / (1 << 20)
        seconds = outcome.seconds if outcome is not None else 0.0
        return f"prepared in {seconds:.1f} s: {size:,.1f} MB in {path}; next: `deeprepo run --test FILE` with a test file of yours"


async def run_test(repo: str, name: str, scratch: str, tell: Callable[[str], None]) -> tuple[Result, Outcome]:
    """Run a test file of the folder over the head. Raises SandboxRefused, and UsageError if there is no such file."""
    async with _trial(repo, scratch) as trial:
        made = trial.rig
        relative, data = _test(repo, name)
        how = made.recipe(relative)
        if how is None:
            raise SandboxRefused(NO_RUNNER)
        command = how.own_command(relative)
        tell(f"running `{command}` over the head")
        outcome = await made.run("head", command, {relative: data.decode("utf-8", "surrogateescape")}, how.folder)
        result = judge(how.preset, outcome)
        _tell_altered(made, tell)
        if result != "green":
            tell(_advice(made, result, outcome))
        return result, outcome


def _tell_altered(rig: Rig, tell: Callable[[str], None]) -> None:
    """Name the files that are not in the sandbox as they are in the tree."""
    paths = list(dict.fromkeys(readable(os.fsencode(path)) for side in rig.masked_files.values() for path in side))
    if paths:
        more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
        tell(
            f"in the sandbox a placeholder stands for each key or token that these files hold: {', '.join(paths[:SHOWN])}{more}. If tests need "
            f"one that opens nothing, name its file in `fixtures` of the section `run`, such as `fixtures: ['{paths[0]}']`"
        )


def _advice(rig: Rig, result: Result, outcome: Outcome) -> str:
    """What to do about a test that did not pass."""
    if result == "red":
        return "if it passes outside, compare the versions of the programs: those of the sandbox are from /usr and DEEPREPO_RUN_TOOLS, or the image"
    if outcome.ending in ("seconds", "memory"):
        return f"raise `run.{outcome.ending}`, which is {getattr(rig.section, outcome.ending):,g}"
    if outcome.ending == "setup":
        return f"raise `run.disk`, which is {rig.section.disk:,} MB: the tree and what was prepared have to fit"
    if not rig.install and rig.proposal:
        return f"nothing is prepared: if a package is missing, write `run: {{network: true}}` into {config.FILE} and call `DEEPREPO_RUN_NETWORK=1 deeprepo run --prepare`"
    if outcome.status in (126, 127):
        return "a program is missing in the sandbox, which has /usr alone: install it there, or name its folder in DEEPREPO_RUN_TOOLS"
    return (
        "the sandbox has the commit without .git and without network: if the test needs more than `run.prepare` installs, set `run.prepare` "
        "to all that it needs, or `run.test` to the command that runs one file"
    )


def _test(repo: str, name: str) -> tuple[str, bytes]:
    """The path of a test file in its repository, and its content. Raises UsageError."""
    top = Path(repo).resolve()
    path = Path(name).resolve() if Path(name).exists() else (top / name).resolve()
    data = files.content(path, MOST) if path.is_relative_to(top) else None
    if data is None:
        raise UsageError(f"there is no file {name} in {repo}: name a test file of the repository")
    return path.relative_to(top).as_posix(), data


@asynccontextmanager
async def _trial(repo: str, scratch: str) -> AsyncIterator[Trial]:
    """The rig by the section of this folder's file, and where that is from."""
    permission = running(config.environment())
    pull, note = await _pull(repo, scratch)
    async with checkout.Checkout(pull) as tree:
        base = await tree.settings_at_tip(config.FILE)
        here = files.content(Path(repo, config.FILE), MOST)
        defaults = await organization_of(pull, config.environment(), scratch)
        section, where = _section(base, defaults), "of the base branch: reviews use it"
        if here is not None and _section(here, defaults) != section:
            section, where = (
                _section(here, defaults),
                f"of this folder: reviews use it once {config.FILE} is on the base branch",
            )
        if section is None:
            where = f"missing: nothing is run until {config.FILE} of the base branch has one, such as `run: {{}}`"
        sides = Sides(pull.url or pull.git_dir, tree.entries, tree.archive, tree.read_many)
        made = await rig(sides, section or RunSection(), permission)
        yield Trial(made, f"{where}{note}", section is not None)


async def _pull(repo: str, scratch: str) -> tuple[PullRequest, str]:
    """The change of this folder; a repository without a known default branch is tried at its HEAD alone, which the note names."""
    try:
        return await checkout.pull(ReviewRequest(repo), scratch), ""
    except NoCommitError as error:
        raise UsageError("this branch has no commit yet: commit something, then call `deeprepo run` again") from error
    except RevisionError:
        pull = await checkout.pull(ReviewRequest(repo, base="HEAD", head="HEAD"), scratch)
        return pull, " (no base branch is known here: HEAD stands for it)"


def _section(text: bytes | None, defaults: OrganizationFile | None) -> RunSection | None:
    return config.resolve({}, text, config.Settings(), organization=defaults).run


def _limits(rig: Rig) -> str:
    caps = rig.limits
    return f"{caps.seconds:g} s, {caps.memory >> 20:,} MB of memory, {caps.processes} processes, {caps.disk >> 20:,} MB of files"
