"""`deeprepo init`: write a workflow and a small settings file for a repository.

The workflow uses the repository from whose clone deeprepo was installed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot import __version__
from bot.cli.exits import CLEAN, say, tell
from bot.cli.options import git_output, work_tree_top
from bot.errors import UsageError
from bot.machine import extras, files

if TYPE_CHECKING:
    from bot.cli.elsewhere import ImportedSettings

WORKFLOW, SETTINGS_FILE = ".github/workflows/deeprepo.yml", ".deeprepo.yml"
PACKAGE = Path(__file__).parents[1]
# The workflow's template, in a wheel and in a checkout
TEMPLATES = (PACKAGE / "templates/setup/deeprepo.yml", PACKAGE.parent / "docs/workflows/deeprepo.yml")
USES = re.compile(r"(uses: )OWNER/deeprepo@0{40} # .*")
REMOTE_ADDRESS = re.compile(
    r"(?:https?://(?:[^@/\s]*@)?|ssh://(?:[^@/\s]*@)?|[\w.-]+@)([\w.-]+)(?::\d+)?[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?$"
)
ACTION = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")
MAX_EXISTING_BYTES = 1 << 20  # of an existing file that is compared with the new one


@dataclass(frozen=True, slots=True)
class Source:
    """A copy of deeprepo that a workflow can use: its repository (OWNER/NAME), a commit, and a warning."""

    name: str
    commit: str
    warning: str = ""


@dataclass(frozen=True, slots=True)
class LocalCopy:
    """A copy of deeprepo that GitHub Actions cannot download.

    `folder` is "" if this program was installed as a package, and `commit` if the folder is not a git clone.
    """

    folder: str
    commit: str


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[REVIEWER|FILE]...", help="With --from: only these, for example coderabbit or .gemini."
        ),
    ] = None,
    *,
    elsewhere: Annotated[
        bool,
        typer.Option("--from", help="Convert the settings of other reviewers, and report what happened to each key."),
    ] = False,
    repo: Annotated[Path, typer.Option(help="The checkout to write to.", metavar="DIR")] = Path(),
    action: Annotated[
        str,
        typer.Option(
            metavar="OWNER/NAME@COMMIT",
            help="Your copy of deeprepo and the commit to use. Default: `origin` of the clone that deeprepo was installed from.",
        ),
    ] = "",
    app: Annotated[
        bool, typer.Option("--app", help="For a GitHub App: write only the settings file, without a workflow.")
    ] = False,
) -> int:
    """Add a workflow that reviews pull requests, and a small .deeprepo.yml, to a repository.

    Nothing is sent, committed or pushed. An existing .deeprepo.yml is kept. Nothing is written if there is a
    different workflow or, with --from, a .deeprepo.yml that was edited. Without a repository on GitHub that the
    workflow can use, only .deeprepo.yml is written.
    """
    from bot.cli.elsewhere import import_settings
    from bot.render import text

    if names and not elsewhere:
        raise UsageError(f"{names[0]}: to convert the settings of other reviewers, write --from before this name")
    if app and action:
        raise UsageError("use either --action or --app. --action is for a workflow, and --app writes none")
    top = work_tree_top(repo)
    imported = import_settings(top, names or []) if elsewhere else None
    source = None if app else _parse_action(action) if action else _installed_from()
    written = {SETTINGS_FILE: _settings(imported)}
    if isinstance(source, Source):
        written = {WORKFLOW: _workflow(source), **written}
    _write(top, written, keeps_settings=imported is None)
    if imported is not None:
        say(text("setup/elsewhere.txt.j2", imported=imported))
    if not isinstance(source, Source):
        if isinstance(source, LocalCopy):
            tell(f"{WORKFLOW}: not written (see below)")
        say(text("setup/init_app.txt.j2", file=SETTINGS_FILE, copy=source))
        return CLEAN
    if source.warning:
        tell(f"warning: {source.warning}")
    say(text("setup/init.txt.j2", source=source, owner=source.name.partition("/")[0], files=list(written)))
    return CLEAN


def _write(top: Path, written: Mapping[str, str], *, keeps_settings: bool) -> None:
    """Write the files, and report what happened to each.

    With `keeps_settings`, a different settings file is kept; else it is replaced unless it was edited.
    Raises UsageError, before anything is written, if another file exists with different content.
    """
    before = {name: files.content(top / name, MAX_EXISTING_BYTES, below=top) for name in written}
    others = [name for name, old in before.items() if old is not None and old != written[name].encode()]
    kept = [name for name in others if name == SETTINGS_FILE and keeps_settings]
    unedited = [name for name in others if name == SETTINGS_FILE and before[name] == _settings(None).encode()]
    refused = [name for name in others if name not in (*kept, *unedited)]
    if refused:
        raise UsageError(
            f"{' and '.join(refused)} already exists with different content. To replace it, delete it first"
        )
    for name, new in written.items():
        if name in kept:
            say(f"{name}: kept, because it already exists")
            continue
        if before[name] == new.encode():
            say(f"{name}: unchanged")
            continue
        files.write(top / name, new, below=top, folders=True, nested=False)
        say(f"{name}: {'overwritten' if name in others else 'written'}")


def _settings(imported: "ImportedSettings | None") -> str:
    """Return the settings file's text: the imported settings, or the few that most repositories change."""
    from bot.render import text

    if imported is None or not (imported.settings or any(file.differences for file in imported.files)):
        return text("setup/deeprepo.yml.j2")
    return text("setup/imported.yml.j2", settings=imported.settings.strip(), files=imported.files)


def _workflow(source: Source) -> str:
    """Return the workflow from the documentation, with the source of the action filled in."""
    template = next(path for path in TEMPLATES if path.is_file()).read_text("utf-8")
    return USES.sub(rf"\g<1>{source.name}@{source.commit} # v{__version__}", template)


def _parse_action(action: str) -> Source:
    if not ACTION.fullmatch(action):
        raise UsageError(f"--action {action!r}: write OWNER/NAME@COMMIT, with all 40 digits of the commit")
    name, _, commit = action.partition("@")
    return Source(name, commit)


def _installed_from() -> Source | LocalCopy:
    """Return the clone that this program was installed from, or the copy that a workflow cannot use."""
    url, commit = extras.installed_from()
    if commit and (found := REMOTE_ADDRESS.fullmatch(url)):
        return Source(found[2], commit, _elsewhere(found[1]))
    folder = PACKAGE.parent if (PACKAGE.parent / ".git").exists() else Path(extras.clone() or PACKAGE.parent)
    address = git_output(folder, "remote", "get-url", "origin").strip()
    commit = git_output(folder, "rev-parse", "HEAD").strip()
    found = REMOTE_ADDRESS.fullmatch(address)
    if not found or not commit:
        return LocalCopy(str(folder) if (folder / "action.yml").is_file() else "", commit)
    changed = git_output(folder, "status", "--porcelain", "--untracked-files=no")
    warning = (
        f"{address} may not have {commit[:12]}. Push that commit, or the workflow cannot fetch it"
        if not git_output(folder, "branch", "--remotes", "--contains", commit)
        else f"{folder} has uncommitted changes, which the workflow will not use"
        if changed
        else _elsewhere(found[1])
    )
    return Source(found[2], commit, warning)


def _elsewhere(host: str) -> str:
    """Workflows only find actions on their own GitHub."""
    is_usual = host.lower() in ("github.com", "ssh.github.com")
    return "" if is_usual else f"`origin` is at {host}: the workflow finds the action only if it runs on a GitHub there"
