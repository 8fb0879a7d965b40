"""What a call of a migration is given to take itself back: `RunSQL(forward, back)` and `RunPython` of Django, `execute forward, back` of Ecto. Pure."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from bot.text.filetypes import filetype

_DJANGO = frozenset({"django.db", "django.db.migrations", "django.db.migrations.operations"})
_BACK = {"RunSQL": "reverse_sql", "RunPython": "reverse_code"}
_ELIXIR_TEXT = r"(?:\"\"\"(?:[^\"]|\"(?!\"\"))*+\"\"\"|\"(?!\"\")(?:[^\"\\\n]|\\.)*+\")"
_ELIXIR_STEP = rf"(?:{_ELIXIR_TEXT}|fn\s*+->\s*+\w{{1,40}}(?:\(\))?(?:\.\w{{1,40}}!?)?[ (]\s*+{_ELIXIR_TEXT}[^\"\n()]{{0,99}}\)?\s*+end\b)"
_ECTO = re.compile(
    rf"^[ \t]*+execute[ (]\s*+{_ELIXIR_STEP}\s*+,(?P<back>\s*+{_ELIXIR_STEP})(?=[ \t]*+\)?[ \t]*+$|\s*+\)[ \t]*+$)",
    re.MULTILINE,
)
_OWN_EXECUTE = re.compile(r"\b(?:defp?|defmacrop?|defdelegate)\s++execute\b")
_KEYWORD = re.compile(r"^\s*+(?:reverse_\w{1,9}\s*+=)?[\s,()\[\]]*+$")

Span = tuple[int, int, int, int]  # first line, column of its UTF-8, last line, column behind the end


def without_reverse(text: str, path: str) -> str:
    """A migration without the arguments that take it back, and without what only such arguments name; lines stay where they are."""
    match filetype(path).parser:
        case "python":
            return _blanked(text, [*_of_django(text)])
        case "elixir" if "use Ecto.Migration" in text and not _OWN_EXECUTE.search(text):
            return _ECTO.sub(
                lambda call: call[0][: call.start("back") - call.start()] + "\n" * call["back"].count("\n"), text
            )
        case _:
            return text


def _of_django(text: str) -> Iterator[Span]:
    """Where the arguments stand, and the texts and functions that nothing but these arguments names."""
    if "RunSQL" not in text and "RunPython" not in text:
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    bindings = _bindings(tree)
    names = _imported_names(tree, bindings)
    arguments = [
        one for node in ast.walk(tree) if isinstance(node, ast.Call) for one in _reverse_arguments(node, names)
    ]
    yield from map(_span, arguments)
    within = Counter(node.id for one in arguments for node in ast.walk(one) if isinstance(node, ast.Name))
    uses = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            name, part = node.name, [_span(each) for each in node.body]
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name, part = node.targets[0].id, [_span(node.value)]
        else:
            continue
        if within[name] and uses[name] == within[name] and bindings[name] == 1:
            yield from part


def _imported_names(tree: ast.Module, bindings: Counter[str]) -> dict[str, str]:
    """What the names of Django's operations are called here: `migrations.RunSQL`, or the class itself. A name that is bound twice is none."""
    names: dict[str, str] = {}
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom) or node.module not in _DJANGO or node.level:
            continue
        for one in node.names:
            name = one.asname or one.name
            if one.name in _BACK:
                names[name] = one.name
            elif one.name == "migrations":
                names |= {f"{name}.{operation}": operation for operation in _BACK}
    return {
        name: operation
        for name, operation in names.items()
        if bindings[name.partition(".")[0]] == 1 and not bindings[f".{operation}"]
    }


def _bindings(tree: ast.Module) -> Counter[str]:
    """How often anything in a module gives a meaning to a name, or to a member after a dot."""
    counts: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            counts[node.id] += 1
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            counts[f".{node.attr}"] += 1
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            counts[node.name] += 1
        elif isinstance(node, ast.arg):
            counts[node.arg] += 1
        elif isinstance(node, ast.alias):
            counts[(node.asname or node.name).partition(".")[0]] += 1
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            counts[node.name] += 1
    return counts


def _reverse_arguments(call: ast.Call, names: dict[str, str]) -> Iterator[ast.expr]:
    """The arguments of a call that take it back."""
    name = ""
    if isinstance(call.func, ast.Name):
        name = call.func.id
    elif isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        name = f"{call.func.value.id}.{call.func.attr}"
    operation = names.get(name)
    if operation is None or any(isinstance(one, ast.Starred) for one in call.args):
        return
    yield from call.args[1:2]
    yield from (one.value for one in call.keywords if one.arg == _BACK[operation])


def _span(node: ast.stmt | ast.expr) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _blanked(text: str, spans: list[Span]) -> str:
    """A text with spaces for its spans; a line that had nothing else is empty."""
    if not spans:
        return text
    lines = [line.encode("utf-8", "replace") for line in text.split("\n")]
    for first, start, last, end in spans:
        for number in range(first, last + 1):
            line = lines[number - 1]
            begin, stop = start if number == first else 0, end if number == last else len(line)
            rest = line[:begin] + b" " * (stop - begin) + line[stop:]
            lines[number - 1] = b"" if _KEYWORD.match(rest.decode("utf-8", "replace")) else rest
    return "\n".join(line.decode("utf-8", "replace") for line in lines)
