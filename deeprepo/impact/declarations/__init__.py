"""Check names that data files declare and other data files use, by the rules of each format.

Each format is a module with a function `read` that adds a file's declarations and uses (`reading.py`).
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
    """Return the format of a file by its path; "" for other files and vendored ones."""
    folder, _, name = path.rpartition("/")
    form = _NAMES.get(name) or _SUFFIXES.get(posixpath.splitext(name)[1], "")
    if folder == ".github/workflows" and name.endswith((".yml", ".yaml")):
        form = "workflows"
    elif not form and name.endswith(TEMPLATES) and "/templates/" in f"/{folder}/":
        form = "charts"
    return "" if not form or is_output(path) or vendored_folder(path) else form
