"""Decide whether a renamed file keeps its role, which is its language and the checks that apply to it.

A rename can turn unchecked text into a workflow or code, so the whole file counts as new. It can also turn
settings into something that nothing parses, so that their keys are lost. The checks treat a file with a new role
as a deletion and an addition.
"""

import re
from functools import lru_cache
from posixpath import basename, splitext

from bot.file_kinds import is_action, is_dockerfile
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.text.paths import (
    is_code,
    is_output,
    is_page,
    is_prose,
    is_sample,
    is_settings,
    is_style,
    is_test,
    is_workflow,
    vendored_folder,
)

# Settings in a format that most languages can parse.
_PARSED = frozenset({".json", ".jsonc", ".yml", ".yaml", ".toml", ".ini", ".cfg", ".env", ".properties"})


def changes_role(old: str, new: str) -> bool:
    """Return whether a rename changes the role of a file.

    Losing an exemption from checks, such as that of tests, samples, and vendored or generated files, changes
    the role. For settings, gaining an exemption does too, because their keys are lost.
    """
    kind, marks = _kind(old), _exemptions(old) ^ _exemptions(new)
    if kind != _kind(new):
        return True
    loses_exemption = not marks.isdisjoint(_exemptions(old))
    if not kind or kind == "prose":  # nothing reads it, or only people do
        return loses_exemption
    loses_parser = bool(marks) and format_of(old) in _PARSED
    return loses_exemption or loses_parser or _parts(old) != _parts(new)


def format_of(path: str) -> str:
    """Return the suffix that determines how a file is parsed, or the file name if there is none."""
    name = basename(path).lower()
    return ".env" if name.startswith(".env") else splitext(name)[1] or name


@lru_cache
def _kind(path: str) -> str:
    """Return what reads a file: a language, a format's parser or "prose"; "" if nothing does."""
    if is_prose(path):
        return "prose"
    one = filetype(path)
    if one.folder:
        return one.folder if one.lexer else f"{one.folder} in a page"
    if one.lexer:
        return f"format {one.lexer}"
    if is_style(path):
        return "style"
    is_known = is_code(path) or is_settings(path) or is_page(path) or format_of(path) in _PARSED or bool(one.suffixes)
    return format_of(path) if is_known else ""


@lru_cache
def _parts(path: str) -> frozenset[str]:
    """Return the special purposes of a file for which there are separate checks."""
    parts = {
        "workflow": is_workflow(path),
        "action": is_action(path),
        "image": is_dockerfile(path),
        "settings": is_settings(path),
        "unbuilt": re.search(filetype(path).unbuilt, path) is not None,
    }
    return frozenset(part for part, holds in parts.items() if holds)


@lru_cache
def _exemptions(path: str) -> frozenset[str]:
    if is_workflow(path):  # a workflow counts under any name
        return frozenset()
    marks = {
        "vendored": vendored_folder(path) is not None,
        "output": is_output(path),
        "test": is_test(path),
        "sample": is_sample(path),
    }
    return frozenset(mark for mark, holds in marks.items() if holds)
