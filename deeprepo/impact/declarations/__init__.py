"""Names that data files declare and that other data files use: no language ties the two ends together, but each format has its rule.

A format is a module of its name with `read`: one file in, what it declares and uses out (`reading.py`).
"""

import posixpath

from deeprepo.impact.text.paths import is_output, vendored_folder

TEMPLATES = (".yaml", ".yml", ".tpl", ".txt")  # of a chart
ACTIONS = ("action.yml", "action.yaml")
_NAMES = {
    "Chart.yaml": "charts",
    "values.yaml": "charts",
    **dict.fromkeys(ACTIONS, "workflows"),
    "package.json": "packages",
    **dict.fromkeys(("Makefile", "makefile", "GNUmakefile"), "makefiles"),
}
_SUFFIXES = {".tf": "terraform", ".tofu": "terraform", ".mk": "makefiles"}


def format_of(path: str) -> str:
    """Return the format that reads a file, by its path; "" for every other file, and for vendored ones."""
    folder, _, name = path.rpartition("/")
    form = _NAMES.get(name) or _SUFFIXES.get(posixpath.splitext(name)[1], "")
    if folder == ".github/workflows" and name.endswith((".yml", ".yaml")):
        form = "workflows"
    elif not form and name.endswith(TEMPLATES) and "/templates/" in f"/{folder}/":
        form = "charts"
    return "" if not form or is_output(path) or vendored_folder(path) else form
