"""Render templates.

Values are inserted unchanged into prompts. In comments, all text but `Safe` is escaped.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from bot.render import disarm, words
from bot.render.disarm import Safe, encodable
from bot.render.page_filters import page_filters
from bot.render.words import Phrases

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE_FOLDER = Path(__file__).parents[1]
# The templates in an installed package, and in a checkout.
FOLDERS = (PACKAGE_FOLDER / "templates", PACKAGE_FOLDER.parent / "templates")
# Our templates that an owner's template may include, by the names that it may use.
INCLUDABLE = {
    "handover.md.j2": "handover.md.j2",
    "overlooked/section.md.j2": "overlooked/section.md.j2",
    "own_checks/section.md.j2": "own_checks/section.md.j2",
    "reproduction.md.j2": "reproduction/finding.md.j2",
    "reproduction/finding.md.j2": "reproduction/finding.md.j2",
    "walkthrough/section.md.j2": "walkthrough/section.md.j2",
}
OPTIONS: dict[str, Any] = {"keep_trailing_newline": True, "trim_blocks": True, "lstrip_blocks": True}


def text(name: str, **values: object) -> str:
    """Return a rendered prompt, without unpaired surrogates. A missing value is an error."""
    return encodable(_prompts().get_template(name).render(**values))


def page(name: str, /, **values: object) -> str:
    """Return a rendered HTML page. All values are escaped, except `Markup` from our own code."""
    return encodable(_pages().get_template(name).render(**values))


def file(name: str) -> bytes:
    """Return the content of a file in a template folder, such as a page's style sheet."""
    return next(folder / name for folder in FOLDERS if (folder / name).is_file()).read_bytes()


def texts(folder: Path) -> Callable[..., str]:
    """Return a function like `text` for the templates in another folder."""

    def fill(name: str, **values: object) -> str:
        return encodable(_prompts(folder).get_template(name).render(**values))

    return fill


def comment(name: str, phrases: Phrases, **values: object) -> Safe:
    """Return a rendered comment, or a part of one. The template can use `phrases` with `say`."""
    return Safe(encodable(_comments().get_template(name).render(say=speaker(phrases), **values)))


def phrase(phrases: Phrases, key: str, number: int | None = None, **values: object) -> Safe:
    """Return a phrase as a comment, with its values escaped."""
    return comment("replies/phrase.md.j2", phrases, key=key, number=number, values=values)


def speaker(phrases: Phrases) -> Any:  # noqa: ANN401 - a function with arbitrary arguments
    """Return the `say` function for templates, which returns a phrase with its values escaped."""

    def say(key: str, number: int | None = None, **values: object) -> Safe:
        safe_values = {name: escaped(value) for name, value in values.items()}
        return Safe(phrases.say(key, number, **safe_values))

    return say


def escaped(value: object) -> object:
    """Return what `{{ value }}` inserts into a comment: text is escaped unless it is `Safe`."""
    return disarm.plain(value) if isinstance(value, str) and not isinstance(value, Safe) else value


def filters() -> dict[str, Any]:
    """Return the filters of comment templates."""
    return {
        "cell": disarm.cell,
        "code": disarm.code,
        "diff": disarm.diff,
        "fence": disarm.fence,
        "html": disarm.html,
        "line": disarm.line,
        "plain": disarm.plain,
        "suggestion": disarm.suggestion,
        "cut": words.brief,
        "dedent": dedent,
        "rows": words.top,
    }


def compile_comments() -> None:
    """Compile the templates of comments, so that forked processes don't have to."""
    environment = _comments()

    def is_of_comments(name: str) -> bool:
        return name.endswith(".md.j2") and ("/" not in name or name in INCLUDABLE.values())

    for name in environment.list_templates(filter_func=is_of_comments):
        environment.get_template(name)


def includable_source(name: str) -> str | None:
    """Return the source of a template that owners' templates may include, or None for any other one."""
    paths = (folder / INCLUDABLE[name] for folder in FOLDERS if name in INCLUDABLE)
    return next((path.read_text(encoding="utf-8") for path in paths if path.is_file()), None)


def render_source(environment: "Environment", source: str, values: Mapping[str, Any], phrases: Phrases) -> str:
    """Return a comment rendered from a template's source."""
    return encodable(environment.from_string(source).render(say=speaker(phrases), **values))


def _environment(folders: Sequence[Path], filters: Mapping[str, Any], **more: Any) -> "Environment":  # noqa: ANN401
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(loader=FileSystemLoader(folders), undefined=StrictUndefined, **OPTIONS, **more)  # noqa: S701
    environment.filters.update(filters)
    return environment


@cache
def _prompts(*folders: Path) -> "Environment":
    more = {"cut": words.cut, "rows": words.rows, "count": words.count}
    more |= {"visible": disarm.visible, "inside": disarm.inside, "name": disarm.name}
    return _environment(folders or FOLDERS, filters() | more)


@cache
def _pages() -> "Environment":
    return _environment(FOLDERS, page_filters(), autoescape=True)


@cache
def _comments() -> "Environment":
    """Return the environment for comments, which escapes for Markdown, not HTML."""
    return _environment(FOLDERS, filters(), finalize=escaped)
