"""`python -m benchmarks` lists the benches; with a name it runs one, with the options behind it: `make bench NAME=start ARGS="--rounds 3"`."""

import ast
import runpy
import sys
from pathlib import Path

BENCHES = (
    "start",
    "engine",
    "long",
    "review",
    "peers",
    "offline",
    "oracle",
    "large",
    "counters",
    "compilers",
    "yield",
    "providers",
    "wallet",
    "fuzz",
    "hostile",
    "server",
    "scale",
    "chaos",
    "misbehave",
)
HERE = Path(__file__).parent


def about(name: str) -> str:
    """The first line of a bench's docstring."""
    return (ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text("utf-8"))) or "").partition("\n")[0]


def main(words: list[str]) -> int:
    """Run the bench that is named; the exit code is its own."""
    if not words:
        print("\n".join(f"{name:14}{about(name)}" for name in BENCHES))
        print('\nmake bench NAME=offline ARGS="--help" shows the options of one.')
        return 0
    if words[0] not in BENCHES:
        print(f"{words[0]} is not a bench: {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    sys.argv = [f"benchmarks.{words[0]}", *words[1:]]
    runpy.run_module(f"benchmarks.{words[0]}", run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
