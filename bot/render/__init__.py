"""Render text from templates. Only this package imports jinja2.

Templates contain our words; the values that they get (code, titles, model text) are data. `disarm` escapes
these in Markdown, and `sandbox` runs templates that are not ours.
"""

from bot.render.disarm import (
    Safe,
    code,
    encodable,
    fence,
    inside,
    line,
    link,
    name,
    original_name,
    plain,
    safe_json,
    suggestion,
    unseen,
    visible,
)
from bot.render.phrases import Phrases, load
from bot.render.shorten import TITLE_CHARS, count, cut, rows, sentences, title
from bot.render.templates import comment, file, page, phrase, text, texts
