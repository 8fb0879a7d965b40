"""Comments as HTML: GitHub's Markdown without anything that could act. Raw HTML is shown as text, folds apart."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import unescape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup, escape

from deeprepo_sandbox.github.pages import code

Env = Mapping[str, Any]
# Tags without attributes that can do no harm; whatever else is written in angle brackets is shown as it is.
HARMLESS = re.compile(r"(</?(?:details|summary|sub|sup|kbd|code|b|i|em|strong|br|hr)(?: open)?\s*/?>)", re.IGNORECASE)
BARE = re.compile(r"(https?://[^\s<>\"]+[^\s<>\".,:;!?)'\]])")
HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def html(text: str, old_lines: Sequence[str] = ()) -> Markup:
    """The text as HTML. `old_lines`: the lines of code that a suggestion in it would take the place of."""
    return Markup(_parser().render(text, {"replaced": old_lines}))  # noqa: S704 - every piece of it is escaped below


def raw(text: str) -> str:
    """HTML that somebody wrote: folds and small signs stay, comments vanish, the rest is shown as text."""
    parts = HARMLESS.split(HIDDEN.sub("", text))
    return "".join(part.lower() if at % 2 else str(escape(unescape(part))) for at, part in enumerate(parts))


@cache
def _parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"])
    made.add_render_rule("html_block", _raw)
    made.add_render_rule("html_inline", _raw)
    made.add_render_rule("fence", _fence)
    made.add_render_rule("image", _image)
    made.add_render_rule("link_open", _link)
    made.add_render_rule("text", _text)
    made.add_render_rule("th_open", _cell)
    made.add_render_rule("td_open", _cell)
    return made


def _raw(_: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env) -> str:  # noqa: ARG001 - the library's form
    return raw(tokens[at].content)


def _image(_: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env) -> str:  # noqa: ARG001 - the same
    """Nothing is loaded from elsewhere: a picture is its address."""
    return f"<code>{escape(tokens[at].content or tokens[at].attrs.get('src', ''))}</code>"


def _link(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env) -> str:
    tokens[at].attrSet("rel", "nofollow noreferrer noopener")
    return renderer.renderToken(tokens, at, options, dict(env))


def _cell(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env) -> str:
    """A cell of a table. Its alignment is a class: the page's own policy forbids styles in attributes."""
    style = str(tokens[at].attrs.pop("style", ""))
    if style:
        tokens[at].attrSet("class", style.partition(":")[2])
    return renderer.renderToken(tokens, at, options, dict(env))


def _text(_: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env) -> str:  # noqa: ARG001 - the same
    """Words. An address that stands bare among them is a link, as on GitHub."""
    kinds = [token.type for token in tokens[:at]]
    if kinds.count("link_open") > kinds.count("link_close"):
        return str(escape(tokens[at].content))
    parts = BARE.split(tokens[at].content)
    return "".join(
        f'<a rel="nofollow noreferrer noopener" href="{escape(part)}">{escape(part)}</a>'
        if n % 2
        else str(escape(part))
        for n, part in enumerate(parts)
    )


def _fence(_: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env) -> str:  # noqa: ARG001 - the same
    language, content = tokens[at].info.strip().partition(" ")[0], tokens[at].content
    if language != "suggestion":
        return f'<pre class="code"><code>{code.block(content, language)}</code></pre>\n'
    new = content.removesuffix("\n").split("\n") if content else []
    rows = [("del", "-", text) for text in env.get("replaced", ())] + [("add", "+", text) for text in new]
    lines = "".join(
        f'<tr class="{kind}"><td class="sign">{sign}</td><td><code>{escape(text)}</code></td></tr>'
        for kind, sign, text in rows
    )
    return f'<div class="suggestion"><p>Suggested change</p><table class="diff">{lines}</table></div>\n'
