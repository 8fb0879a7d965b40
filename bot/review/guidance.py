"""Collect the owner's guidance for a review: instructions per path, and guideline files.

Both come from the tip of the base branch, so a change cannot bring its own. They can say what to look for and
what to ignore, but they cannot change what counts as evidence. The prompt reports them.
"""

import posixpath
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

from bot import config, globs, render
from bot.brief import Brief
from bot.checkout import Checkout
from bot.findings import silencing
from bot.values import ChangedFile, OwnerRule

FILES = (  # the most informative first
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
FOLDERS = (".github/instructions", ".cursor/rules")  # folders with files that name the paths they apply to
ENDINGS = (".instructions.md", ".mdc")
AGENTS = ("AGENTS.md", "CLAUDE.md")
# For each group, the nearest file above each changed file is also used
NEAREST = (AGENTS, (".cursor/BUGBOT.md",))
MAX_CHARS = 12_000  # characters of instructions and guideline files together
MAX_RULES = 5  # with at most 300 characters per text, they leave room for other guidance
MOST_FILES = 60  # files read from FOLDERS
MAX_FOLDERS = 40  # folders searched; a change in more folders only gets the root's guidance for the rest
MOST_HEADER, MOST_PATTERNS = 60, 40  # header lines in a file, and path patterns in a header
CUT = "[...]"
_FIELD = re.compile(r"(\w+):[ \t]*(.*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One piece of guidance and its origin."""

    origin: str
    text: str


@dataclass(frozen=True, slots=True)
class Guideline:
    """One file's text, and the paths it applies to. Without patterns, it applies to all paths."""

    text: str
    patterns: tuple[str, ...] = ()

    def concerns(self, paths: Iterable[str]) -> bool:
        """Return whether the text applies to one of these paths."""
        return not self.patterns or any(globs.matches(self.patterns, path) for path in paths)


@dataclass(frozen=True, slots=True)
class Guidance:
    """All of the owner's guidance, before it is selected for files."""

    instructions: tuple[tuple[str, str], ...] = ()  # (path pattern, text), as in .deeprepo.yml
    files: Mapping[str, Guideline] = field(default_factory=dict)  # by path
    language: str = "en"  # the language in which models write for people
    templates: tuple[tuple[str, str], ...] = ()  # the owner's own comment templates: (name, source)
    rules: tuple[OwnerRule, ...] = ()  # findings that are not reported; rules with a text are shown to models
    left_out: tuple[str, ...] = ()  # what models don't see, in words

    def within(self, window: int | None) -> "Guidance":
        """Return the part that fits: MAX_CHARS, or less if the model's window in tokens is known to be small.

        Instructions come first, then the files in their order. `left_out` says what was cut.
        """
        room = MAX_CHARS if window is None else min(MAX_CHARS, window)  # about a quarter of the window
        left_out = list(self.left_out)

        def fit(origin: str, text: str) -> str:
            nonlocal room
            shown = _cut(text, room)
            room -= len(shown)
            if shown != text:
                left_out.append(f"{origin} ({len(text) - len(shown):,} of {len(text):,} characters)")
            return shown

        instructions = tuple((pattern, fit(f"instruction for {pattern}", text)) for pattern, text in self.instructions)
        files = {name: replace(one, text=fit(name, one.text)) for name, one in self.files.items()}
        return replace(self, instructions=instructions, files=files, left_out=tuple(left_out))

    def of(self, paths: Iterable[str]) -> tuple[Advice, ...]:
        """Return the advice that applies to these files.

        Instructions come first, then rules, then the nearest guideline files, then those in the root.
        """
        distinct_paths = list(dict.fromkeys(paths))
        first_patterns: dict[str, str] = {}  # a text given for several patterns is shown only once
        for pattern, text in self.instructions:
            if any(globs.matches([pattern], path) for path in distinct_paths):
                first_patterns.setdefault(text.strip(), pattern)
        advice = [Advice(origin=pattern, text=text) for text, pattern in first_patterns.items() if text]
        matching_rules = [
            rule
            for rule in self.rules
            if rule.text and not rule.is_learning and any(globs.matches([rule.path], path) for path in distinct_paths)
        ]
        if matching_rules:
            advice.append(
                Advice(
                    origin="rules", text=render.text("prompts/rules.md.j2", rules=matching_rules[:MAX_RULES]).strip()
                )
            )
        names = self.nearest(distinct_paths)
        advice += [Advice(origin=name, text=self.files[name].text) for name in names if self.files[name].text]
        return tuple(advice)

    def nearest(self, paths: Sequence[str]) -> list[str]:
        """Return the names of the files that apply to these paths, nearest first."""
        near: dict[str, None] = {}
        for path, kind in product(paths, NEAREST):
            folders = [folder for folder in _folders(path) if folder]
            hits = (name for folder in folders for base in kind if (name := f"{folder}/{base}") in self.files)
            near.update(dict.fromkeys(islice(hits, 1)))
        names = [name for name, guideline in self.files.items() if name.endswith(ENDINGS) and guideline.concerns(paths)]
        names.sort(key=lambda name: not self.files[name].patterns)
        return list(dict.fromkeys([*names, *near, *(name for name in FILES if name in self.files)]))


async def read_guidance(brief: Brief, tree: Checkout, files: Sequence[ChangedFile]) -> Guidance:
    """Read all of the owner's guidance: instructions, guidelines, rules, language and comment templates."""
    names, settings = [file.path for file in files if not file.skip], brief.settings
    guides = await gather(
        tree.many_at_tip, names, settings.guidance, guidelines=settings.guidelines, list_files=tree.names_at_tip
    )
    owner_rules = (*silencing.owner_rules(settings.rules), *silencing.owner_learnings(settings.learnings), *brief.rules)
    return replace(guides, rules=owner_rules, language=settings.language, templates=await _templates(tree))


async def _templates(tree: Checkout) -> tuple[tuple[str, str], ...]:
    """Return the comment templates at the tip of the base branch, so that a change cannot bring its own."""
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

    `read` reads files at the tip of the base branch, and `list_files` lists the files in folders there.
    """
    paths = list(paths)
    guidance = Guidance(tuple(row for row in instructions if any(globs.matches([row[0]], path) for path in paths)))
    if not guidelines:
        return guidance
    folders = list(dict.fromkeys(folder for path in paths for folder in _folders(path) if folder))
    guide_names = [name for name in await list_files(FOLDERS) if name.endswith(ENDINGS)]
    left_out = guide_names[MOST_FILES:]
    if len(folders) > MAX_FOLDERS:
        left_out.append(f"files in {len(folders) - MAX_FOLDERS:,} more folders")
    names = [
        *guide_names[:MOST_FILES],
        *FILES,
        *(f"{folder}/{base}" for folder in folders[:MAX_FOLDERS] for kind in NEAREST for base in kind),
    ]
    files = await read(names)
    guidelines_by_name, seen = dict[str, Guideline](), set[str]()  # `seen`: the lines of files that apply to all paths
    for name, blob in files.items():
        guideline = read_guideline(name, blob) or Guideline("")
        lines, is_for_all = guideline.text.split("\n"), name in FILES
        if new := "\n".join(line for line in lines if not line or line not in seen).strip():
            guidelines_by_name[name] = replace(guideline, text=new) if is_for_all else guideline
            seen.update(lines if is_for_all else ())
    found = replace(guidance, files=guidelines_by_name, left_out=tuple(left_out))
    return replace(found, files={name: found.files[name] for name in found.nearest(paths)})


def read_guideline(name: str, blob: bytes) -> Guideline | None:
    """Read one file. Return None if it is empty, only points to another file, or applies only on request."""
    text = blob.decode("utf-8", "replace").replace("\r\n", "\n")
    patterns: tuple[str, ...] | None = ()
    if name.endswith(ENDINGS):
        patterns, text = _header_and_text(text)
    text = text.strip()
    is_pointer = posixpath.basename(text.lstrip("@")) in AGENTS  # CLAUDE.md is often a link to AGENTS.md
    return Guideline(text, patterns) if text and not is_pointer and patterns is not None else None


def language_instruction(language: str) -> str:
    """Return the system prompt line that asks for a language; empty for English."""
    return "" if language == "en" else "\n" + render.text("prompts/language.md.j2", language=language)


def _folders(path: str) -> list[str]:
    """Return the folders above a file, nearest first; the root is ""."""
    folders = []
    folder = posixpath.dirname(path)
    while folder:
        folders.append(folder)
        folder = posixpath.dirname(folder)
    return [*folders, ""]


def _header_and_text(text: str) -> tuple[tuple[str, ...] | None, str]:
    """Return the path patterns in a file's header, and the text after it.

    The patterns are None if the file applies only on request.
    """
    rows = text.split("\n")
    end = next((number for number, line in enumerate(rows[1 : MOST_HEADER + 1], 1) if line.rstrip() == "---"), 0)
    if rows[0].rstrip() != "---" or not end:
        return None, text
    fields: dict[str, list[str]] = {}
    name = ""
    for line in rows[
        1:end
    ]:  # Not parsed as YAML, because people write `globs: *.ts`, and YAML reads the star as an alias.
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
    """Split at commas, except for those inside braces."""
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
    """Return as many whole lines as fit, and a mark if the text is cut. Return "" if no line fits."""
    if len(text) <= most:
        return text
    lines = text[: max(0, most - len(CUT) - 1)].rpartition("\n")[0]
    return f"{lines}\n{CUT}" if lines else ""
