"""How languages write definitions, members and imports, as regular expressions. No parser of the product takes part."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

# A line that may give a name to others: an import, an export, a definition, a value.
BINDING = (
    r"\b(?:def|class|func|fn|fun|function|const|let|var|val|type|interface|struct|enum|trait|module|macro_rules!|define|record|attr_\w+)\b[^\n]*\bNAME\b"
    r"|\b(?:import|export|use|as|alias\w*|include|extend)\b[^\n]*\bNAME\b|^\s*NAME\s*(?:,|=[^=]|:)|['\"]NAME['\"]"
    r"|(?:\b(?:self|cls|this)\.|@)NAME\s*(?::[^=\n]*)?=[^=]"
    r"|^\s*(?:[\w<>\[\],.?*&]+\s+)+NAME\s*(?:\([^;]*|;|=>.*|\{.*|=[^=].*)$|^\s*(?:async\s+|static\s+|get\s+|set\s+|#)*NAME\s*\([^;]*\{\s*$"
)


@dataclass(frozen=True, slots=True)
class Syntax:
    """How one language writes what a consumer takes; LIB stands for the library, NAME for the name, DIR and LAST for the folder that defined it."""

    endings: tuple[str, ...]
    defines: re.Pattern[str]
    binds: tuple[str, ...]
    members: re.Pattern[str]
    exact: tuple[str, ...] = ()  # the import of a name from the very module that defined it, HOME
    bare: bool = False  # no import names the name: the consumer must not define it itself


LANGUAGES: Mapping[str, Syntax] = {
    "python": Syntax(
        (".py",),
        re.compile(r"^(?:async )?def ([A-Za-z]\w+)|^class ([A-Za-z]\w+)|^([A-Z][A-Z_0-9]{3,}) = "),
        (
            r"^[ \t]*from[ \t]+LIB(?:\.[\w.]+)?[ \t]+import[ \t]+(?:\([^)]*?\bNAME\b|[^\n(]*\bNAME\b)",
            r"\bLIB(?:\.\w+)*\.NAME\b",
        ),
        re.compile(r"^[ \t]+(?:async )?def ([A-Za-z]\w+)"),
        (r"^[ \t]*from[ \t]+HOME[ \t]+import[ \t]+(?:\([^)]*?\bNAME\b|[^\n(]*\bNAME\b)", r"\bHOME\.NAME\b"),
    ),
    "javascript": Syntax(
        (".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue"),
        re.compile(
            r"^export (?:declare )?(?:default )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|interface|type|enum) ([A-Za-z]\w+)"
        ),
        (r"\bimport\b[^'\";]*\bNAME\b[^'\";]*\bfrom\s*['\"]LIB(?:/[^'\"]*)?['\"]", r"\{[^}]*\bNAME\b[^}]*\}\s*=\s*require\(['\"]LIB"),
        re.compile(r"^\s+(?:(?:public|static|async|get|set|readonly|override)\s+)*([a-z]\w+)\??\([^;]*\{$|^\s+(?:readonly )?([a-z]\w+)\??: [^,]*;$"),
    ),
    "go": Syntax(
        (".go",),
        re.compile(r"^func ([A-Z]\w+)|^type ([A-Z]\w+)|^\t?(?:var|const) ([A-Z]\w+)|^\t([A-Z]\w+) += "),
        (r"\"LIB(?:/v\d+)?DIR\"[\s\S]*\bLAST\.NAME\b", r"^\s*(?:import )?(?P<here>\w+)\s+\"LIB(?:/v\d+)?DIR\"[\s\S]*\b(?P=here)\.NAME\b"),
        re.compile(r"^func \([^)]*\) ([A-Z]\w+)\(|^\t([A-Z]\w+)\([^)]*\)|^\t([A-Z]\w+) +[\w*\[\].]+(?: +`.*)?$"),
        (r"\"LIB(?:/v\d+)?DIR\"[\s\S]*\bLAST\.NAME\b", r"^\s*(?:import )?(?P<here>\w+)\s+\"LIB(?:/v\d+)?DIR\"[\s\S]*\b(?P=here)\.NAME\b"),
    ),
    "rust": Syntax(
        (".rs",),
        re.compile(r"^\s*pub (?:async |const |unsafe )*(?:fn|struct|enum|trait|type|static) ([A-Za-z]\w+)|^\s*pub const ([A-Z]\w+)"),
        (r"\buse\s+LIB::[^;]*\bNAME\b", r"\bLIB::(?:\w+::)*NAME\b"),
        re.compile(r"^\s+pub (?:async |const |unsafe )*fn ([a-z]\w+)|^\s+pub ([a-z]\w+): "),
    ),
    "php": Syntax(
        (".php",),
        re.compile(r"^(?:abstract |final |readonly )*(?:class|interface|trait|enum) (\w+)"),
        (r"^use\s+\\?LIB\\[\w\\]*\bNAME\b", r"\\LIB\\[\w\\]*\bNAME\b"),
        re.compile(r"^\s+(?:abstract |final |static )*(?:public |protected )(?:static )?function (\w+)|^\s+(?:public )?const (\w+) ="),
        (r"^use\s+\\?HOME\s*(?:;|\s+as\b)", r"\\HOME\b(?!\\)"),
    ),
    "ruby": Syntax(
        (".rb",),
        re.compile(r"^\s*(?:class|module) (?:\w+::)*([A-Z]\w+)|^\s+([A-Z][A-Z_]+) = "),
        (r"\bLIB(?:::\w+)*::NAME\b", r"\bLIB\b[\s\S]*(?<!\w)NAME\b"),
        re.compile(r"^\s+def (?:self\.)?([a-z]\w+[?!]?)"),
        bare=True,
    ),
    "csharp": Syntax(
        (".cs",),
        re.compile(r"^\s*public (?:abstract |static |sealed |partial |readonly )*(?:class|interface|enum|record|struct|delegate \w+) (\w+)"),
        (r"^\s*using LIB(?:\.[\w.]+)?;[\s\S]*\bNAME\b",),
        re.compile(r"^\s+(?:public|protected) (?:(?:static|virtual|abstract|override|sealed|readonly|new|async|const) )*[\w<>\[\],.?]+ ([A-Z]\w+)(?:\(| \{| =|;|$)"),
        bare=True,
    ),
    "jvm": Syntax(
        (".java", ".kt"),
        re.compile(r"^(?:public |open |abstract |final |static |sealed |data )*(?:class|interface|enum|record|@interface|object) (\w+)"),
        (r"^import (?:static )?LIB\.[\w.]*\bNAME\b",),
        re.compile(r"^\s+(?:public |protected |open |abstract |static |final |override |default )*(?:fun |[\w<>\[\],.?]+ )([a-z]\w+)\([^;]*[{,;(]?$|^\s+public static final [\w<>\[\]]+ ([A-Z]\w+)"),
        (r"^import HOME\b",),
    ),
}  # fmt: skip


def is_distinctive(name: str) -> bool:
    """Whether a member's name has several words, so that it hardly is another type's."""
    return len(name) > 7 and re.search(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]", name) is not None  # noqa: PLR2004 - letters
