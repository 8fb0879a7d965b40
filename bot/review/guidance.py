"""What the repository's owner asks of a review: instructions per path, and the guideline files of the base branch.

Both come from the tip of the base branch, so that a change cannot bring its own. They may say what to look for and what to
leave alone; they cannot change what counts as evidence, and the prompt reports it.
"""

import posixpath
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

from bot import config, render
from bot.brief import Brief
from bot.checkout import Checkout
from bot.findings import silencing
from bot.values import ChangedFile, OwnerRule
from deeprepo.impact.text import globs

FILES = (  # the most telling first
    "REVIEW.md",
    "AGENTS.md",
    "CLAUDE.md",
    ".github/copilot-instructions.md",
    ".gemini/styleguide.md",
    ".cursor/BUGBOT.md",
    ".greptile/rules.md",
    ".cursorrules",
    "best_practices.md",
    "STYLEGUIDE.md",
    "STYLE_GUIDE.md",
)
FOLDERS = (".github/instructions", ".cursor/rules")  # of files that name the paths that they are for
ENDINGS = (".instructions.md", ".mdc")
AGENTS = ("AGENTS.md", "CLAUDE.md")
# Of each kind the nearest is also looked for in the folders of the changed files
NEAREST = (AGENTS, (".cursor/BUGBOT.md",))
MAX_CHARS = 2_400  # of guidance in one prompt
MAX_FILE = 1_600  # of one file
MAX_RULES = 5  # with their texts of at most 300 characters they leave room for other guidance
MOST_FILES = 60  # of FOLDERS
MAX_FOLDERS = 40  # looked into; a change of more folders gets the guidance of the root
MOST_READ = 200_000  # characters of one file
LEAST_PART = 200  # characters of a file that are worth showing
MOST_HEADER, MOST_PATTERNS = 60, 40  # lines before the text of a file; patterns of paths in them
CUT = "[...]"
_FIELD = re.compile(r"(\w+):[ \t]*(.*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One piece of guidance and where it comes from."""

    origin: str
    text: str


@dataclass(frozen=True, slots=True)
class Guideline:
    """The text of one file, and the paths that it is for; without patterns it is for all."""

    text: str
    patterns: tuple[str, ...] = ()

    def concerns(self, paths: Iterable[str]) -> bool:
        """Return whether it is for one of these paths, or for all."""
        return not self.patterns or any(globs.matches(self.patterns, path) for path in paths)


@dataclass(frozen=True, slots=True)
class Guidance:
    """Everything the owner asks, before it is known for which files."""

    instructions: tuple[tuple[str, str], ...] = ()  # (path pattern, text), as in .deeprepo.yml
    files: Mapping[str, Guideline] = field(default_factory=dict)  # by path
    language: str = "en"  # in which models write what people read
    templates: tuple[tuple[str, str], ...] = ()  # of comments, the owner's own: (name, source)
    rules: tuple[OwnerRule, ...] = ()  # findings that are not reported; those with a text are explained

    def of(self, paths: Iterable[str], room: int = MAX_CHARS) -> tuple[Advice, ...]:
        """Return what applies to these files: instructions first, then what is not reported, the nearest file's rules, and those of the root.

        `room`: characters of all of it.
        """
        distinct_paths = list(dict.fromkeys(paths))
        first_patterns: dict[str, str] = {}  # one text may be there for several patterns, and is shown once
        for pattern, text in self.instructions:
            if any(globs.matches([pattern], path) for path in distinct_paths):
                first_patterns.setdefault(text.strip(), pattern)
        path_advice = [
            Advice(origin=pattern, text=_cut(text, MAX_FILE)) for text, pattern in first_patterns.items() if text
        ]
        matching_rules = [
            rule
            for rule in self.rules
            if rule.text and not rule.is_learning and any(globs.matches([rule.path], path) for path in distinct_paths)
        ]
        if matching_rules:
            path_advice.append(
                Advice(
                    origin="rules", text=render.text("prompts/rules.md.j2", rules=matching_rules[:MAX_RULES]).strip()
                )
            )
        chosen_advice = list[Advice]()
        for advice in path_advice:
            if len(advice.text) <= room:
                chosen_advice.append(advice)
                room -= len(advice.text)
        for name in self._nearest(distinct_paths):
            text = _cut(self.files[name].text, min(room, MAX_FILE))
            if len(text) >= min(LEAST_PART, len(self.files[name].text)):
                room -= len(text)
                chosen_advice.append(Advice(origin=name, text=text))
        return tuple(chosen_advice)

    def _nearest(self, paths: Sequence[str]) -> list[str]:
        near: dict[str, None] = {}
        for path, kind in product(paths, NEAREST):
            folders = [folder for folder in _folders(path) if folder]
            hits = (name for folder in folders for base in kind if (name := f"{folder}/{base}") in self.files)
            near.update(dict.fromkeys(islice(hits, 1)))
        names = [name for name, guideline in self.files.items() if name.endswith(ENDINGS) and guideline.concerns(paths)]
        names.sort(key=lambda name: not self.files[name].patterns)
        return list(dict.fromkeys([*names, *near, *(name for name in FILES if name in self.files)]))


async def of_owner(brief: Brief, tree: Checkout, files: Sequence[ChangedFile]) -> Guidance:
    """Read what the owner asks for: instructions, guidelines, rules, the language of models and the templates of comments."""
    names, settings = [file.path for file in files if not file.skip], brief.settings
    guides = await gather(
        tree.many_at_tip, names, settings.advice, guidelines=settings.guidelines, list_files=tree.names_at_tip
    )
    owner_rules = (*silencing.owner_rules(settings.rules), *silencing.owner_learnings(settings.learnings), *brief.rules)
    return replace(guides, rules=owner_rules, language=settings.language, templates=await _templates(tree))


async def _templates(tree: Checkout) -> tuple[tuple[str, str], ...]:
    """The repository's own comment templates, from the tip of its base branch: a change cannot bring its own."""
    templates = await tree.many_at_tip(config.TEMPLATES)
    return tuple((path.rpartition("/")[2], blob.decode("utf-8", "replace")) for path, blob in templates.items())


async def gather(
    read: Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]],
    paths: Iterable[str],
    instructions: Sequence[tuple[str, str]],
    *,
    guidelines: bool,
    list_files: Callable[[Sequence[str]], Awaitable[Sequence[str]]],
) -> Guidance:
    """Return the owner's guidance for a change of these paths.

    `read` reads files at the tip of the base branch; `list_files` names the files in folders there.
    """
    if not guidelines:
        return Guidance(tuple(instructions))
    folders = list(dict.fromkeys(folder for path in paths for folder in _folders(path) if folder))[:MAX_FOLDERS]
    guide_names = [name for name in await list_files(FOLDERS) if name.endswith(ENDINGS)][:MOST_FILES]
    names = [*guide_names, *FILES, *(f"{folder}/{base}" for folder in folders for kind in NEAREST for base in kind)]
    files = await read(names)
    if not files:
        return Guidance(tuple(instructions))

    guidelines_by_name: dict[str, Guideline] = {}
    for name, blob in files.items():
        guideline = read_guideline(name, blob)
        if guideline is not None and guideline.text not in [one.text for one in guidelines_by_name.values()]:
            guidelines_by_name[name] = guideline
    return Guidance(tuple(instructions), guidelines_by_name)


def is_guideline(path: str) -> bool:
    """Return whether reviews read a file of this path as it stands, all of them or those of changes near it."""
    nearest = tuple(f"/{base}" for kind in NEAREST for base in kind)
    folders = tuple(f"{folder}/" for folder in FOLDERS)
    return path in FILES or path.endswith(nearest) or (path.startswith(folders) and path.endswith(ENDINGS))


def read_guideline(name: str, blob: bytes) -> Guideline | None:
    """Read one file; None where it says nothing, only points to another one, or is for no path unless a person asks for it."""
    text = blob.decode("utf-8", "replace")[:MOST_READ].replace("\r\n", "\n")
    patterns: tuple[str, ...] | None = ()
    if name.endswith(ENDINGS):
        patterns, text = _header_and_text(text)
    text = text.strip()
    is_pointer = posixpath.basename(text.lstrip("@")) in AGENTS  # CLAUDE.md is often a link to AGENTS.md
    return Guideline(text, patterns) if text and not is_pointer and patterns is not None else None


def tongue(language: str) -> str:
    """Return the line of a system prompt that asks for a language; none is needed for English."""
    return "" if language == "en" else "\n" + render.text("prompts/language.md.j2", language=language)


def _folders(path: str) -> list[str]:
    """The folders above a file, the nearest first; the root is ""."""
    folders = []
    folder = posixpath.dirname(path)
    while folder:
        folders.append(folder)
        folder = posixpath.dirname(folder)
    return [*folders, ""]


def _header_and_text(text: str) -> tuple[tuple[str, ...] | None, str]:
    """The patterns in the header of a file, and the text after it; None for a file that is for no path unless a person asks for it."""
    rows = text.split("\n")
    end = next((number for number, line in enumerate(rows[1 : MOST_HEADER + 1], 1) if line.rstrip() == "---"), 0)
    if rows[0].rstrip() != "---" or not end:
        return None, text
    fields: dict[str, list[str]] = {}
    name = ""
    for line in rows[
        1:end
    ]:  # not read as YAML: `globs: *.ts` is what people write, and YAML takes the star for an alias
        match = _FIELD.match(line)
        name, value = (match[1], match[2]) if match else (name, line.strip().removeprefix("- "))
        fields.setdefault(name, []).append(value)
    glob_text = ",".join([*fields.get("applyTo", ()), *fields.get("globs", ())])
    parts = [part.strip(" \t'\"[]") for part in _parts(glob_text)]
    patterns = [brace for part in parts[:MOST_PATTERNS] if part for brace in globs.braces(part) if _valid(brace)]
    if any("code-review" in value for value in fields.get("excludeAgent", ())):
        return None, text
    always = fields.get("alwaysApply", [""])[0].strip() == "true"
    return (() if always else tuple(patterns) or None), "\n".join(rows[end + 1 :])


def _parts(text: str) -> Iterator[str]:
    """What is separated by commas, apart from those inside braces."""
    start = depth = 0
    for index, char in enumerate(text):
        depth = max(0, depth + (char == "{") - (char == "}"))
        if char == "," and not depth:
            yield text[start:index]
            start = index + 1
    yield text[start:]


def _valid(pattern: str) -> bool:
    try:
        globs.check(pattern)
    except ValueError:
        return False
    return not pattern.startswith(("!", "#"))


def _cut(text: str, most: int) -> str:
    """The text as far as its whole lines fit, with a mark where it is cut."""
    if len(text) <= most:
        return text
    return text[: max(0, most - len(CUT) - 1)].rpartition("\n")[0] + f"\n{CUT}"
