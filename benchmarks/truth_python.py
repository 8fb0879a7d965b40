"""Which Python file imports which, as grimp sees it: python truth_python.py ROOT OUT.json PACKAGE[,PACKAGE...]. Needs grimp on the path."""

import json
import sys
from pathlib import Path

import grimp


def main(root: str, out: str, packages: str) -> None:
    """Write the edges between files of the tree, and the files that grimp looked at: those in packages."""
    sys.path.insert(0, root)
    first, *more = packages.split(",")
    graph = grimp.build_graph(
        first, *more, include_external_packages=False, exclude_type_checking_imports=False, cache_dir=None
    )

    def path(module: str) -> str | None:
        base = module.replace(".", "/")
        return next((one for one in (f"{base}.py", f"{base}/__init__.py") if Path(root, one).exists()), None)

    edges = {
        (path(one), path(other)) for one in graph.modules for other in graph.find_modules_directly_imported_by(one)
    }
    kept = sorted((a, b) for a, b in edges if a and b and a != b)
    known = sorted({found for module in graph.modules if (found := path(module))})
    Path(out).write_text(json.dumps({"edges": kept, "known": known}))


if __name__ == "__main__":
    main(*sys.argv[1:])
