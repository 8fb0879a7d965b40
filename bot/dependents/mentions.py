"""What still says a name that is gone: templates, settings, strings, files of another language.

Code is searched by syntax, which sees neither strings nor templates. So a name that the change takes away is looked up as a word
in the whole tree, if it is telling and nothing defines it any more. Nobody can prove that such a line means the old definition:
it is evidence for a reader, and what no reader has seen stays open.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from bot.dependents.sites import UseTarget, mention, telling
from bot.ports import Tree
from bot.text.lines import binds, defines, is_comment
from bot.text.paths import is_output, is_prose, is_settings, is_style
from bot.values import Query, Reference

LINES = 2_000
FAR = 20  # files that hold a word: in more it is a word of its own
MOST = 40  # lines of one name
LONG = 400  # characters of a line that a person wrote
IMPORTS = re.compile(r"\s*(?:import|from|use|using|require\w*|#\s*include)\b|[^\n]{0,200}\brequire\(")


async def mentions(
    tree: Tree,
    targets: Sequence[UseTarget],
    known_references: Sequence[Reference],
    fresh: Mapping[str, Collection[int]],
    attributes: Mapping[str, str],
    suffixes: tuple[str, ...],
    missed_uses: list[str],
) -> tuple[Reference, ...]:
    """The lines that hold the name of what is gone as a word. Lines that the change adds make no name common.

    `known_references`: what was found by syntax; `attributes`: name -> key; `suffixes`: those of the language; `missed_uses`: what a limit cuts.
    """
    owners = {name: key for name, key in attributes.items() if telling(name)}
    hidden_names: dict[str, UseTarget] = {}  # what code elsewhere cannot mean
    for target in targets:
        before = target.symbol.before if target.symbol is not None else None
        after = target.symbol.after if target.symbol is not None else None
        removal = {"removed", "renamed"} & set(target.contract)
        if before is not None and removal and telling(before.short) and (after is None or after.short != before.short):
            owners[before.short] = target.key
            hidden_names[before.short] = target
    if not owners:
        return ()
    any_name = rf"(?<![\w$])(?:{'|'.join(re.escape(name) for name in sorted(owners))})(?![\w$])"
    rows = await tree.grep_lines(Query([any_name], syntax="perl", limit=LINES))
    if len(rows) >= LINES:
        missed_uses.append(
            f"{LINES:,} lines and more hold names that the change takes away: the others were not looked at"
        )
    words, lines_by_name = re.compile(any_name), defaultdict(list)
    defined_names: set[str] = set()
    rivals: dict[str, str] = {}  # what the change gives the name a meaning with: then a reader has to tell
    for path, line, text in rows:
        for name in set(words.findall(text[:LONG])):
            if not is_settings(path) and _gives_meaning(name, path, text[:LONG]):
                if line in fresh.get(path, ()):
                    rivals.setdefault(name, f"{path}:{line}")
                else:
                    defined_names.add(name)
            elif not (is_prose(path) or is_output(path) or is_style(path)):
                lines_by_name[name].append((path, line, text.rstrip("\r")))
    # A file that imports the name from elsewhere means that; an import from here was found by syntax.
    bound = {(path, name) for name, rows in lines_by_name.items() for path, _, text in rows if IMPORTS.match(text)}
    known_places = {(row.path, row.line, row.name) for row in known_references}
    return tuple(
        replace(mention(owners[name], name, path, line, text), doubt=rivals.get(name, ""))
        for name, name_lines in sorted(lines_by_name.items())
        if name not in defined_names
        and len({path for path, line, _ in name_lines if line not in fresh.get(path, ())}) <= FAR
        for path, line, text in name_lines[:MOST]
        if (path, line, name) not in known_places
        and (name not in hidden_names or not path.endswith(suffixes) or _can_mean(hidden_names[name], name, path, text))
        and (path, name) not in bound
        and line not in fresh.get(path, ())
        and not is_comment(text, path)
    )


def _can_mean(target: UseTarget, name: str, path: str, text: str) -> bool:
    """Whether a line of code can mean what only some files can name, or only without a receiver."""
    receivers = re.findall(rf"(?<!\w)(\w{{0,100}})[ \t]{{0,8}}(?:&?\.|::){re.escape(name)}(?!\w)", text[:LONG])
    return target.is_visible(path) and not (receivers and all(target.is_beside(one, path) for one in receivers))


def _gives_meaning(name: str, path: str, text: str) -> bool:
    return defines(text, name, path) or binds(text, name)
