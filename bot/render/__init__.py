"""Render text from templates. Only this package imports jinja2.

Templates contain the product's own text. Their values (code, titles, text from models) are untrusted, so
`disarm` escapes them in Markdown. `sandbox` runs templates that a repository's owner has written.
"""

from bot.render.disarm import (
    Safe,
    code,
    encodable,
    fence,
    has_invisible,
    inside,
    line,
    link,
    name,
    original_name,
    plain,
    safe_json,
    suggestion,
    visible,
)
from bot.render.templates import comment, file, page, phrase, text, texts
from bot.render.words import TITLE_CHARS, Phrases, count, cut, load, rows, sentences, title
