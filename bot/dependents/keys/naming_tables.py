"""The tables of names that only a framework resolves: parts of templates, routes, elements and fields of pages, variables of sheets.

No parser reads the languages of templates.
"""

from collections.abc import Iterable

from bot.dependents.keys.given_names import Naming


def _helpers(text: str) -> Iterable[str]:
    from bot.dependents.keys.rails_routes import helpers

    return helpers(text)


# Names that a template gives to a part of it, and that other templates and code ask for: blocks, macros, partials, sections.
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

# Names by which programs ask for the address of a route: `{% url 'checkout' %}`, `route('orders.show')`, `{ name: "checkout" }`.
WHAT = "routes"
PYTHON = r"\.py$"
PYTHON_READERS = r"\.(?:py|x?html?|djhtml|jinja2?|j2|mako|pt|txt|xml)$"
PYTHON_ROUTE = (
    r"(?:re_path|path|url|[rR]oute|WebSocketRoute|Mount|api_route|get|post|put|patch|delete|head|websocket"
    r"|add_(?:url_rule|api_route|route|get|post|put|patch|delete|view))\("
)
PYTHON_HOLDS = rf"\b{PYTHON_ROUTE}"
PYTHON_CALLS = r"reverse(?:_lazy)?|redirect|resolve_url|url_for|url_path_for|route_url|route_path"
PYTHON_NAMES = r"pattern_name|view_name|viewname|route_name|next_page|\w{1,60}_(?:URL|url)"
PYTHON_ASKS = (
    rf"(?:\{{%-?\s*+url\s++|\b(?:{PYTHON_CALLS})\(\s*+(?:request,\s*+|(?:viewname|to)\s*+=\s*+)?"
    rf"|\b(?:{PYTHON_NAMES})\s*+=\s*+|\brouter\[)[\"']"
)
PYTHON_LINE = rf"(?:^\s*+|\b(?:url|{PYTHON_CALLS}|{PYTHON_NAMES}|name|endpoint|router|basename|namespace|app_name|add_route|Blueprint)\b[^\n]{{0,300}}?)[\"']"
PHP_READERS = r"\.(?:php|twig|[cm]?[jt]sx?|vue|svelte)$"
LARAVEL = r"\.(?:php|[cm]?[jt]s)$"
LARAVEL_ASKS = (
    r"(?:\b\w{0,40}[rR]oute(?:Is)?\(\s*+|\bRoute::(?:has|is)\(\s*+|->named\(\s*+|[rR]outeName\(\)\s*+[!=]==?\s*+)[\"'`]"
)
VUE_ROUTE = (
    r"\bpath\s*+:\s*+[\"'`][^\"'`\n]{0,200}+[\"'`]\s*+,\s*+(?:(?!name\b)[a-z]\w{0,30}+\s*+:[^\n,]{0,200}+,\s*+){0,3}+"
)

ROUTE_NAMES = (
    Naming(  # Django, Starlette, Pyramid, aiohttp; of Flask and FastAPI also the function itself
        WHAT,
        rf"(?:\b{PYTHON_ROUTE}[^\n]{{0,300}}?|^[ \t]++)\b(?:name|endpoint)\s{{0,3}}=\s{{0,3}}[\"']NAME[\"']"
        r"|\badd_route\(\s*+(?:name\s*+=\s*+)?[\"']NAME[\"']"
        r"|^[ \t]*+@[\w.]{1,80}\.(?:route|get|post|put|patch|delete|websocket)\([^\n]{0,300}\n(?:[ \t]*+@[^\n]{0,300}+\n){0,5}+[ \t]*+(?:async\s++)?def\s++NAME\s*+\(",
        rf"{PYTHON_ASKS}(?:[\w-]{{0,60}}[:.]){{0,4}}NAME[\"']",
        lines=rf"{PYTHON_LINE}(?:[\w-]*+[:.])*NAME[\"']|\bdef\s+NAME\s*\(",
        given_by=PYTHON,
        asked_by=PYTHON_READERS,
        holds=PYTHON_HOLDS,
        scope=r"(?:^app_name\s*+=\s*+|\bBlueprint\(\s*+)[\"']([\w-]++)",
    ),
    Naming(  # the prefixes that a Django application and a Flask blueprint give their names
        WHAT,
        r"(?:^app_name\s*+=\s*+|\bnamespace\s*+=\s*+|\bBlueprint\(\s*+)[\"']NAME[\"']",
        rf"{PYTHON_ASKS}NAME[:.][\w-]++",
        lines=rf"{PYTHON_LINE}NAME[\"':.]",
        given_by=PYTHON,
        asked_by=PYTHON_READERS,
    ),
    Naming(  # of a router of Django's REST framework
        WHAT,
        r"\bbase_?name\s*+=\s*+[\"']NAME[\"']",
        rf"{PYTHON_ASKS}(?:[\w-]{{0,60}}[:.]){{0,4}}NAME-(?:list|detail)[\"']",
        lines=rf"{PYTHON_LINE}(?:[\w-]*+[:.])*NAME[\"'-]",
        given_by=PYTHON,
        asked_by=PYTHON_READERS,
    ),
    Naming(  # Laravel, AdonisJS
        WHAT,
        r"(?:->|::|\.)(?:name|as)\(\s*+[\"'`]NAME[\"'`]|[\"']as[\"']\s*+=>\s*+[\"']NAME[\"']",
        rf"{LARAVEL_ASKS}(?:[\w-]{{1,60}}\.){{0,4}}NAME[\"'`]",
        lines=r"(?:name|as|route\w*|named|has|is)\b[^\n]{0,40}[\"'`](?:[\w-]+\.)*NAME[\"'`]|\w[rR]oute\w*\([^\n]{0,40}[\"'`](?:[\w-]+\.)*NAME[\"'`]|^\s*[\"'](?:[\w-]+\.)*NAME[\"']",
        given_by=LARAVEL,
        asked_by=PHP_READERS,
    ),
    Naming(  # its resources and groups
        WHAT,
        r"(?:->|::)name\(\s*+[\"']NAME\.[\"']|\b(?:apiR|r)esources?\(\s*+[\"']NAME[\"']|[\"']as[\"']\s*+=>\s*+[\"']NAME\.[\"']",
        rf"{LARAVEL_ASKS}(?:[\w-]{{1,60}}\.){{0,4}}NAME\.[\w.-]++",
        lines=r"(?:[rR]oute\w*|name|as|named|has|is|esources?)\b[^\n]{0,40}[\"'](?:[\w-]+\.)*NAME[.\"']",
        given_by=r"\.php$",
        asked_by=PHP_READERS,
        is_whole=True,
    ),
    Naming(  # Symfony
        WHAT,
        r"(?:(?:#\[|@)Route\([^\n]{0,300}?|^[ \t]*+(?:\*[ \t]*+)?)\bname\s*+[:=]\s*+[\"']NAME[\"']",
        r"\b(?:redirectToRoute|generateUrl|generate|path|url|setRoute|linkToRoute)\(\s*+[\"']NAME[\"']",
        lines=r"(?:\bname\b|\w\()[^\n]{0,300}?[\"']NAME[\"']|^\s*[\"']NAME[\"']",
        given_by=r"\.php$",
        asked_by=PHP_READERS,
        holds=r"\bRoute\(",
    ),
    Naming(  # Rails
        WHAT,
        "",
        r"(?:(?<![\w.:@$\"'-])|\b(?:url_helpers|main_app|helpers?|routes|app)\.)NAME_(?:path|url)\b(?!\s*+=(?![=~]))",
        elsewhere=r"\bdef\s++(?:self\.)?NAME_(?:path|url)\b|(?<![\w.@])NAME_(?:path|url)\s*+=(?![=~])|\blet!?\(:NAME_(?:path|url)\b",
        given_by=r"(?:^|/)config/routes(?:\.rb$|/[^\n]*\.rb$)",
        asked_by=r"\.(?:rb|erb|haml|slim|jbuilder|builder|rabl|rhtml|ruby|rake)$",
        reads=_helpers,
    ),
    Naming(  # of a router of Vue
        WHAT,
        rf"{VUE_ROUTE}name\s*+:\s*+[\"'`]NAME[\"'`]|\bname\s*+:\s*+[\"'`]NAME[\"'`]\s*+,\s*+path\s*+:",
        r"(?:\bto\b|push|replace|resolve|redirect|next|return|navigate|[rR]oute\w{0,20})[^\n{]{0,60}+\{\s*+name\s*+:\s*+[\"'`]NAME[\"'`]"
        r"|(?:[rR]oute\w{0,20}(?:\.value)?\??|\b(?:to|from))\.name\s*+[!=]==?\s*+[\"'`]NAME[\"'`]",
        lines=r"\bname\s*(?::|[!=]==?)\s*[\"'`]NAME[\"'`]",
        given_by=r"\.(?:[cm]?[jt]sx?|vue)$",
        asked_by=r"\.(?:[cm]?[jt]sx?|vue)$",
    ),
)  # fmt: skip

# Names that pages and stylesheets give, and that scripts, programs and other sheets ask for: elements, fields of a form, variables, mixins.
PAGE = (
    r"\.(?:x?html?|djhtml|vue|svelte|astro|[jt]sx|erb|ejs|hbs|handlebars|mustache|twig|jinja2?|j2|njk|liquid|php|phtml|cshtml|razor|jspx?|ftl"
    r"|haml|[hl]?eex|mako)$"
)
SHEET = r"\.(?:s[ac]ss|less|css|vue|svelte|astro|x?html?)$"
SASS = r"\.(?:s[ac]ss|vue|svelte|astro)$"
FIELD = r"<(?:input|select|textarea|button|\w{0,30}(?:Input|Field|Select|Checkbox))\b[^<>]{0,600}?\sname\s{0,3}=\s{0,3}[\"']NAME(?:\[\])?[\"']"
PAGES = (
    Naming(
        "elements",
        r"(?<![\w-])id\s*+=\s*+\{?[\"'`]NAME[\"'`]|^[ \t]*+%\w*+#NAME(?![\w-])",
        r"\bgetElementById\(\s*+[\"'`]NAME[\"'`]"
        r"|(?:\bquerySelector(?:All)?|\$|\bjQuery|\.(?:find|closest|matches|children|locator|appendTo|insertBefore|insertAfter))\(\s*+[\"'`][^\"'`\n]{0,200}?#NAME(?![\w-])"
        r"|(?<![\w-])(?:for|htmlFor|href|aria-(?:labelledby|describedby|controls|owns)|data-(?:bs-)?(?:target|parent)|hx-target|list|form)\s*+=\s*+[\"']#?NAME[\"']",
        elsewhere=r"(?<![\w-])id\s*+(?:=>|[:=])\s*+\{?[\"'`:]NAME(?![\w-])|\bsetAttribute\(\s*+[\"']id[\"'],\s*+[\"'`]NAME[\"'`]",
        given_by=PAGE,
    ),
    Naming(
        "fields",
        FIELD,
        r"\b[rR]eq(?:uest)?\.(?:form|FORM|Form|POST|GET|FILES|files|args|values|params|body|query|data)"
        r"(?:\.NAME(?![\w(])|(?:\.(?:get(?:list|All)?|pop|has|fetch)\(|\[)\s*+[\"']NAME(?:\[\])?[\"'])"
        r"|\bparams(?:\[|\.(?:fetch|require|permit|dig|expect)\([^()\n]{0,200}?)\s*+(?::NAME\b|[\"']NAME[\"'])"
        r"|\$_(?:POST|GET|REQUEST|FILES)\[\s*+[\"']NAME[\"']|[rR]equest(?:\(\))?(?:->\w{1,30})?(?:->\w{1,30})?\(\s*+[\"']NAME[\"']"
        r"|\b(?:get_argument|getParameter(?:Values)?|FormValue|PostFormValue|FormFile|PostForm|DefaultPostForm)\(\s*+[\"']NAME[\"']"
        r"|\bForm\.Get\(\s*+\"NAME\"|@RequestParam\((?:(?:value|name)\s*+=\s*+)?\"NAME\""
        r"|\[name=\\?[\"']?NAME(?:\[\])?\\?[\"']?\]|\b(?:\w{0,30}[fF]orm(?:Data)?|data)\.(?:get|getAll|has|delete)\(\s*+[\"'`]NAME[\"'`]"
        r"|\.elements(?:\.NAME(?!\w)|\[\s*+[\"']NAME[\"']|\.namedItem\(\s*+[\"']NAME[\"'])",
        elsewhere=r"\bname\s*+[:=]>?\s*+[\"'`:]NAME(?![\w-])|[\"']NAME[\"']\s*+(?::|=>)|(?<![\w.?-])NAME:(?!:)|[?&]NAME=|\bappend\(\s*+[\"'`]NAME[\"'`]"
        r"|^[ \t]++NAME\s*+=\s*+(?:\w++\.)*+[A-Z]\w*+\(|\b(?:f|form|builder)\.\w++[\s(]\s*+:NAME\b",
        given_by=PAGE,
        is_tied=True,
    ),
    Naming(  # Sass
        "variables",
        r"(?:^|[{;(,])[ \t]*+\$NAME\s*+:|@(?:mixin|function|each|for|include)\b[^\n;{]{0,300}?\$NAME(?![\w-])",
        r"\$NAME(?![\w-])(?!\s*+:)",
        given_by=SASS,
        asked_by=SASS,
        is_by_file=True,
    ),
    Naming(
        "mixins",
        r"@mixin\s++NAME(?![\w-])|^=NAME(?![\w-])",
        r"@include\s++(?:[\w-]{1,60}\.)?NAME(?![\w-])|^[ \t]++\+NAME(?![\w-])",
        given_by=SASS,
        asked_by=SASS,
        is_by_file=True,
    ),
    Naming(
        "functions",
        r"@function\s++NAME(?![\w-])",
        r"(?<![\w$@%.-])(?:[\w-]{1,60}\.)?NAME\(",
        given_by=SASS,
        asked_by=SASS,
        is_by_file=True,
    ),
    Naming(  # Less
        "variables",
        r"^[ \t]*+@NAME\s*+:|\([^()\n]{0,200}?@NAME(?![\w-])[^()\n]{0,200}\)\s*+\{",
        r"@\{?NAME(?![\w-])(?!\s*+:)",
        given_by=r"\.less$",
        asked_by=r"\.less$",
        is_by_file=True,
    ),
    Naming(  # CSS
        "variables",
        r"(?<![\w-])--NAME\s*+:|\bsetProperty\(\s*+[\"'`]--NAME[\"'`]|[\"'`]--NAME[\"'`]\s*+\]?\s*+:|@property\s++--NAME(?![\w-])",
        r"\bvar\(\s*+--NAME(?![\w-])|\bgetPropertyValue\(\s*+[\"'`]--NAME[\"'`]",
        given_by=SHEET,
    ),
)  # fmt: skip

NAMINGS = (*TEMPLATES, *ROUTE_NAMES, *PAGES)
