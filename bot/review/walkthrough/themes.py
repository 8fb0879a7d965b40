"""Files grouped: by the themes that a model named, if these are few, else by kind and folder. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from bot.render import Phrases
from bot.text import paths
from bot.values import ChangedFile, FileRow, Theme

MOST_THEMES = 6  # of a model; more than that orders nothing
MOST_FOLDERS = 6  # groups of code
LEAST_SPLIT = 7  # files of code that are worth several groups
CI = (".github/", ".gitlab/", ".circleci/", ".buildkite/")  # what runs tests is none
KINDS = ("code", "tests", "settings", "documents", "others")  # in the order of the table


def group(
    files: Sequence[ChangedFile], rows: Mapping[str, FileRow], themes_by_path: Mapping[str, str], words: Phrases
) -> tuple[Theme, ...]:
    """Every file in one group, code first; within a group the largest change first. `themes_by_path`: path -> a model's theme."""
    if len({theme.casefold() for theme in themes_by_path.values()}) > MOST_THEMES:
        themes_by_path = {}
    first: dict[str, str] = {}
    for theme in themes_by_path.values():
        first.setdefault(theme.casefold(), theme)
    files_by_theme: dict[tuple[int, str, str], list[ChangedFile]] = defaultdict(list)
    folders = _folders([file.path for file in files if kind(file) == "code" and file.path not in themes_by_path])
    for file in files:
        theme, which = first.get(themes_by_path.get(file.path, "").casefold(), ""), kind(file)
        key = (-1, theme, "") if theme else (KINDS.index(which), words.say(f"walk_{which}"), folders.get(file.path, ""))
        files_by_theme[key].append(file)
    sorted_themes = sorted(files_by_theme.items(), key=lambda item: (item[0][0], -sum(map(_size, item[1])), item[0]))
    return tuple(
        Theme(
            title,
            tuple(rows[file.path] for file in sorted(mine, key=lambda one: (-_size(one), one.path))),
            "model" if rank < 0 else "code",
        )
        for (rank, title, _), mine in sorted_themes
    )


def kind(file: ChangedFile) -> str:
    """What a file is for."""
    path = file.path
    if paths.is_output(path) or paths.vendored_folder(path):
        return "others"
    if paths.is_test(path) and not path.startswith(CI):
        return "tests"
    if paths.is_prose(path):
        return "documents"
    if paths.is_settings(path):
        return "settings"
    return "code" if paths.is_code(path) else "others"


def _folders(code: Sequence[str]) -> dict[str, str]:
    """The folder under which each file of code stands, as deep as a few groups allow; nothing if they need no groups."""
    if len(code) < LEAST_SPLIT:
        return {}
    best: dict[str, str] = {}
    for depth in range(1, max(path.count("/") for path in code) + 1):
        folders_by_path = {path: "/".join(path.split("/")[:-1][:depth]) for path in code}
        if len(set(folders_by_path.values())) > MOST_FOLDERS:
            break
        best = folders_by_path
    return best


def _size(file: ChangedFile) -> int:
    return len(file.added_lines) + len(file.removed_lines)
