"""Print docs/api.md: every public name of `deeprepo`, from its source and its docstrings: `python .ci/api.py > docs/api.md`."""

import ast
import re
import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from textwrap import indent

FOLDER = Path(__file__).parents[1] / "deeprepo"
HEAD = """# API reference

`make docs` generates this page from the docstrings. For examples, see [The Python library](library.md).

The names, parameters and fields on this page have version {version} (`deeprepo.API_VERSION`) and follow
[Semantic Versioning](https://semver.org/). Modules that start with an underscore and the `bot` package are not public.
"""
GROUPS = {
    "## Review": ("review", "review_async", "Review", "Finding", "Evidence", "Consumer"),
    "## Impact": ("analyze", "analyze_async", "Impact", "File", "Definition", "Dependent", "Use", "Broken"),
    "## RLM": ("RLM", "Session", "Result", "Turn", "Started", "Call"),
    "## Models and money": ("Model", "Budget", "Cost"),
    "## Errors": (
        "DeepRepoError", "UsageError", "NothingToReview", "BudgetSpent", "ProviderError", "ExecutionError",
    ),
}  # fmt: skip
ALIASES = ("Path", "Progress", "Scope", "Effort", "Context", "Tools", "Event", "Severity")
MADE = ("Session",)  # by a method of another class: nobody calls their own
Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def page() -> str:
    """The whole page."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("_*.py"))]
    nodes = [node for tree in trees for node in tree.body]
    found = {node.name: node for node in with_synchronous(nodes) if isinstance(node, Named)}
    assigned = {
        target.id: ast.unparse(node.value)
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    parts = [HEAD.format(version=ast.literal_eval(assigned["API_VERSION"]))]
    for heading, names in GROUPS.items():
        parts += [heading, *(described(found[name]) for name in names)]
    rows = [f"| `{name}` | `{assigned[name].replace('|', chr(92) + '|')}` |" for name in ALIASES]
    parts += ["## Types in the signatures", "\n".join(["| name | definition |", "|---|---|", *rows])]
    missing = set(ast.literal_eval(assigned["__all__"])) - {name for names in GROUPS.values() for name in names}
    if missing - {*ALIASES} != {"API_VERSION", "__version__"}:
        raise SystemExit(f"these names are public and in no group of {Path(__file__).name}: {sorted(missing)}")
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def with_synchronous(nodes: list[ast.stmt]) -> Iterator[ast.stmt]:
    """These statements, with a function for each `NAME = synchronous(NAME_async)`, before the asynchronous one."""
    made = {ast.unparse(node.value) for node in nodes if isinstance(node, ast.Assign)}
    for node in nodes:
        if isinstance(node, ast.AsyncFunctionDef) and f"synchronous({node.name})" in made:
            name = node.name.removesuffix("_async")
            yield ast.FunctionDef(name, node.args, node.body, [], node.returns)
            same = f"Do the same in your event loop, where you can cancel it. Parameters, result and errors are those of `{name}`."
            yield ast.AsyncFunctionDef(node.name, node.args, [ast.Expr(ast.Constant(same))], [], node.returns)
        else:
            yield node


def described(node: Named, of: str = "") -> str:
    """A function, or a class with its fields and methods."""
    heading = f"{'####' if of else '###'} {of}{node.name}\n\n"
    if node.name.endswith("_async"):  # its docstring says of which function it has the parameters
        return heading + words(node)
    if not isinstance(node, ast.ClassDef):
        return f"{heading}```python\n{signature(node)}: ...\n```\n\n{words(node)}"
    body = with_synchronous(node.body)
    methods = [part for part in body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    begin = next((part for part in methods if part.name == "__init__" and node.name not in MADE), None)
    head = f"```text\n{signature(begin, node.name)}\n```\n\n" if begin else ""
    fields = "\n".join(fielded(node))
    public = [
        described(part, f"{node.name}.") for part in methods if not part.name.startswith("_") and not is_property(part)
    ]
    return "\n\n".join(filter(None, (heading + head + words(node), fields, *public)))


def fielded(node: ast.ClassDef) -> Iterator[str]:
    """The fields of a value, as Python has them."""
    fields = [part for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)]
    shown = [part for part in fields if isinstance(part.target, ast.Name) and not part.target.id.startswith("_")]
    if not shown:
        return
    yield "```python"
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and is_property(part) and part.returns is not None:
            yield f"{part.name}: {ast.unparse(part.returns)}  # computed"
    for part in shown:
        default = ast.unparse(part.value) if part.value is not None else ""
        default = "None" if default.startswith("field(default=None") else default
        field = f"{ast.unparse(part.target)}: {ast.unparse(part.annotation)}{f' = {default}' if default else ''}"
        yield field.replace("'", '"')  # as the formatter writes it
    yield "```"


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it is read like a field."""
    return any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str = "") -> str:
    """How it is called, a parameter a line where there are several."""
    given = [part for part in pieces(ast.unparse(node.args)) if part != "self"]
    rows = indent(",\n".join(given), "    ")
    inside = f"\n{rows},\n" if len(given) > 1 else "".join(given)
    word = "" if name else "async def " if isinstance(node, ast.AsyncFunctionDef) else "def "
    result = f" -> {ast.unparse(node.returns)}" if node.returns is not None and not name else ""
    return f"{word}{name or node.name}({inside}){result}".replace("'", '"')  # as the formatter writes it


def pieces(text: str) -> list[str]:
    """The parameters, split at the commas between them."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [re.sub(r"(:.*[^ ])=(?=\S+$)", r"\1 = ", part.strip()) for part in found if part.strip()]


def words(node: Named) -> str:
    """The docstring, with its parts `Args` and `Raises` as lists."""
    lines = cleandoc(ast.get_docstring(node) or "").split("\n")
    text: list[str] = []
    listed = ""
    for line in lines:
        if line in ("Args:", "Raises:"):
            listed = line
            text.append(f"{'Parameters' if line == 'Args:' else 'Raises'}:\n")
        elif listed and (entry := re.match(r"    (\w+): (.*)", line)):
            text.append(f"- `{entry[1]}`: {entry[2]}")
        elif listed and line.startswith("        "):
            text.append(f"  {line.strip()}")
        else:
            listed = listed if not line else ""
            text.append(line)
    return "\n".join(text)


if __name__ == "__main__":
    sys.stdout.write(page())
