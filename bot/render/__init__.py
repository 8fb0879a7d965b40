"""Words from templates: the only importer of jinja2.

What a template says is ours; what it is given (code, titles, model text) is data. `disarm` escapes it in Markdown,
`sandbox` runs templates that are not ours.
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
