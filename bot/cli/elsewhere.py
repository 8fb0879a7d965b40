"""`deeprepo init --from`: convert the settings of other reviewers, and report what happened to each key."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot import globs
from bot.cli.options import git_output
from bot.config.other_reviewers import FORMATS, NewSettings, OldSettings, Row, SettingsFormat
from bot.errors import UsageError
from bot.machine import files
from bot.review.guidance import MAX_CHARS, read_guideline

MAX_OLD_FILE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class OldFile:
    """A settings file of another reviewer: what happened to each of its keys, or why it cannot be read."""

    path: str
    reviewer: str
    rows: tuple[Row, ...] = ()
    fault: str = ""
    differences: tuple[str, ...] = ()  # how the other reviewer's behavior differs from deeprepo's

    @property
    def groups(self) -> list[tuple[str, str, list[str]]]:
        """The keys grouped by setting and explanation, imported keys first."""
        groups: dict[tuple[str, str], list[str]] = {}
        for row in sorted(self.rows, key=lambda row: not row.into):
            groups.setdefault((row.into, row.why), []).append(row.key)
        return [(into, why, keys) for (into, why), keys in groups.items()]


@dataclass(frozen=True, slots=True)
class Guide:
    """A file with guidelines that reviews use as it is, with a note about it."""

    path: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ImportedSettings:
    """The result of an import: the new settings as YAML, the old files, and files that are used unchanged."""

    settings: str
    files: tuple[OldFile, ...]
    guides: tuple[Guide, ...]


def import_settings(top: Path, names: Sequence[str]) -> ImportedSettings:
    """Import the settings of other reviewers, or only of `names`: reviewers, files or folders.

    Raises UsageError if there are none.
    """
    tracked = git_output(top, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
    branch = git_output(top, "symbolic-ref", "--short", "refs/remotes/origin/HEAD").strip().partition("/")[2]
    new = NewSettings(branch)
    wanted = list(dict.fromkeys(name.strip("/").removeprefix("./") for name in names))
    used, old_files, guides = set[str](), list[OldFile](), list[Guide]()
    for form in FORMATS:
        paths = [path for path in (*form.files, *tracked) if path in form.files or globs.matches(form.guides, path)]
        for path in dict.fromkeys(paths):
            by = [name for name in wanted if name in (form.word, path) or path.startswith(f"{name}/")]
            content = files.content(top / path, MAX_OLD_FILE_BYTES, below=top) if by or not wanted else None
            if content is None:
                continue
            used.update(by)
            if path in form.files:
                old_files.append(_read(form, path, content.decode("utf-8", "replace"), new))
            else:
                guides.append(_guide(path, content))
    missing = [name for name in wanted if name not in used]
    if missing or not (old_files or guides):
        known = ", ".join(f"{form.word} ({', '.join(form.files or form.guides)})" for form in FORMATS)
        what = f"settings for {missing[0]}" if missing else "settings of another reviewer"
        raise UsageError(f"no {what} were found in {top}. Supported reviewers: {known}")
    return ImportedSettings(new.text(), tuple(old_files), tuple(guides))


def _read(form: SettingsFormat, path: str, text: str, new: NewSettings) -> OldFile:
    try:
        data = form.load(text)
    except ValueError as error:
        line, problem = getattr(error, "line", None), " ".join(str(error).split())
        return OldFile(path, form.name, fault=f"line {line}: {problem}" if line else problem)
    if not isinstance(data, dict):
        return OldFile(path, form.name, fault="" if data is None else "the file has no settings")
    old = OldSettings(data, new)
    differences = form.read(old)
    return OldFile(path, form.name, tuple(old.rows()), differences=tuple(differences))


def _guide(path: str, content: bytes) -> Guide:
    guideline = read_guideline(path, content)
    if guideline is None:
        return Guide(path, "not used: the file has no text of its own, or its header lists no paths for reviews")
    size = len(guideline.text)
    return Guide(path, f"reviews use the first {MAX_CHARS:,} of its {size:,} characters" if size > MAX_CHARS else "")
