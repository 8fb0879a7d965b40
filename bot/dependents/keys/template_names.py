"""Names that a template gives to a part of it, and that other templates and code ask for: blocks, macros, partials, sections.

No parser reads the languages of templates.
"""

from bot.dependents.keys.given_names import Naming

TEMPLATES = (
    Naming(  # Go
        "parts of templates",
        r"\{\{-?\s*+(?:define|block)\s++[\"`]NAME[\"`]",
        r"\{\{-?\s*+(?:template|include)\s++[\"`]NAME[\"`]|\b(?:ExecuteTemplate|Lookup)\([^\n]{0,200}?[\"`]NAME[\"`]",
        is_by_file=True,
    ),
    Naming(  # Jinja, Django, Twig, Nunjucks
        "parts of templates",
        r"\{%[-+~]?\s*+block\s++NAME(?![\w.-])",
        r"\{%[-+~]?\s*+block\s++NAME(?![\w.-])|\bblock\(\s*+[\"']NAME[\"']",
        inherits=r"\{%[-+~]?\s*+(?:extends|embed)\b",
        is_by_file=True,
    ),
    Naming(  # Jinja, Twig, Nunjucks
        "parts of templates",
        r"\{%[-+~]?\s*+macro\s++NAME\s*+\(",
        r"\{[%{][^\n]{0,200}?(?<![\w-])NAME(?![\w-])",
        is_imported=True,
        is_by_file=True,
    ),
    Naming(  # Handlebars
        "parts of templates",
        r"\{\{#\*\s*+inline\s++[\"']NAME[\"']|\bregisterPartial\(\s*+[\"']NAME[\"']",
        r"\{\{~?#?>\s*+NAME(?![\w./-])",
        is_by_file=True,
    ),
    Naming(  # Blade
        "parts of templates",
        r"@(?:yield|stack)\(\s*+[\"']NAME[\"']",
        r"@(?:section|push|prepend)\(\s*+[\"']NAME[\"']",
        is_by_file=True,
    ),
)  # fmt: skip
