"""Name the functions of a folder that are longer than 60 lines, migrations excepted: `python .ci/lengths.py [FOLDER]`.

No rule of the linter counts lines: PLR0915 counts statements, which a long signature or a long value does not have.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MOST = 60


def long_functions(folder: Path) -> Iterator[str]:
    """Yield the place, the name and the length of each function that is too long."""
    for path in sorted(folder.rglob("*.py")):
        if "migrations" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MOST:
                    yield f"{path}:{node.lineno}: {node.name} has {lines} lines: cut it by its subjects, {MOST} at most"


if __name__ == "__main__":
    problems = list(long_functions(Path(sys.argv[1] if len(sys.argv) > 1 else "bot")))
    sys.exit("\n".join(problems) or 0)
