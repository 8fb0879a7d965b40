"""Whether a renamed file stays what it was: which checks want it, in which language, as what part of the product. Pure.

Text that nothing ran or read was judged by nobody. If a rename makes a workflow, a migration or code of it, the change brings all of it;
if a rename makes settings something that nothing parses, they are gone. Such a file is a deletion and an addition for every check.
"""

import re
from functools import lru_cache
from posixpath import basename, dirname, splitext

from deeprepo.impact.filetypes import filetype
from deeprepo.impact.schemas import migrations, sql
from deeprepo.impact.text.paths import (
    is_action,
    is_code,
    is_dockerfile,
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

# Settings whose format has a parser in most languages.
_PARSED = frozenset({".json", ".jsonc", ".yml", ".yaml", ".toml", ".ini", ".cfg", ".env", ".properties"})


def changes_role(old: str, new: str) -> bool:
    """Return whether a file that goes from one path to the other becomes something else.

    What spares a file a check (it is a test, a sample, another project's code, output of a program) must hold before the change and
    after it, which is asked where it counts; here it counts if it is lost, and for settings also if it is gained: their keys are gone.
    """
    kind, marks = _kind(old), _sparing_marks(old) ^ _sparing_marks(new)
    if kind != _kind(new):
        return True
    is_spared_no_more = not marks.isdisjoint(_sparing_marks(old))
    if not kind or kind == "prose":  # nothing reads it, and everybody who fetches it
        return is_spared_no_more
    is_read_no_more = bool(marks) and format_of(old) in _PARSED
    return is_spared_no_more or is_read_no_more or _parts(old) != _parts(new) or _becomes_migration(old, new)


def format_of(path: str) -> str:
    """Return the ending that decides how a file is read; of a file without one, its name."""
    name = basename(path).lower()
    return ".env" if name.startswith(".env") else splitext(name)[1] or name


@lru_cache(maxsize=8_192)
def _kind(path: str) -> str:
    """What reads a file: a language, the parser of a format, a person; "" if nothing does."""
    if is_prose(path):
        return "prose"
    one = filetype(path)
    if one.parser:
        return one.parser if one.lexer else f"{one.parser} in a page"
    if one.lexer:
        return f"format {one.lexer}"
    if is_style(path):
        return "style"
    is_known = is_code(path) or is_settings(path) or is_page(path) or format_of(path) in _PARSED or bool(one.suffixes)
    return format_of(path) if is_known else ""


@lru_cache(maxsize=8_192)
def _parts(path: str) -> frozenset[str]:
    """The parts of a product that are judged by rules of their own."""
    parts = {
        "workflow": is_workflow(path),
        "action": is_action(path),
        "image": is_dockerfile(path),
        "settings": is_settings(path),
        "way back": sql.is_backward(path),
        "unbuilt": re.search(filetype(path).unbuilt, path) is not None,
    }
    return frozenset(part for part, holds in parts.items() if holds)


@lru_cache(maxsize=8_192)
def _sparing_marks(path: str) -> frozenset[str]:
    if is_workflow(path):  # whatever its name is
        return frozenset()
    marks = {
        "vendored": vendored_folder(path) is not None,
        "output": is_output(path),
        "test": is_test(path),
        "sample": is_sample(path),
    }
    return frozenset(mark for mark, holds in marks.items() if holds)


def _becomes_migration(old: str, new: str) -> bool:
    """Whether a file comes to the migrations, or from a folder below them to their own, which a tool may read alone."""
    if not migrations.is_in_folder(new):
        return False
    home = migrations.home(new)
    return not migrations.is_in_folder(old) or (dirname(new) == home and dirname(old).startswith(f"{home}/"))
