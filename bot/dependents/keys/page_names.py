"""Names that pages and stylesheets give, and that scripts, programs and other sheets ask for: elements, fields of a form, variables, mixins."""

from bot.dependents.keys.given_names import Naming

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
