"""Names that data files declare and that other data files use: no language ties the two ends together, but each format has its rule.

A format is a row of `FILES` and a module of its name with `read`: one file in, what it declares and uses out (`reading.py`).
"""

from collections.abc import Mapping

from bot.text.paths import is_output, vendored_folder

# format -> the git pathspecs of its files. Those of a chart hold its templates too, and a folder of that name may be anything.
FILES: Mapping[str, tuple[str, ...]] = {
    "terraform": ("*.tf", "*.tofu", "*.tf.json", "*.tofu.json", "*.tfvars"),
    "workflows": (
        ".github/workflows/*.yml",
        ".github/workflows/*.yaml",
        ":(glob)**/action.yml",
        ":(glob)**/action.yaml",
    ),
    "charts": (":(glob)**/Chart.yaml", ":(glob)**/values.yaml", ":(glob)**/templates/**"),
    "makefiles": (":(glob)**/Makefile", ":(glob)**/makefile", ":(glob)**/GNUmakefile", "*.mk"),
    "packages": (":(glob)**/package.json",),
}
SUFFIXES = (".tf", ".tofu", ".tf.json", ".tofu.json")  # of Terraform and OpenTofu
VALUES = ".tfvars"  # of the variables of a module at the root
TEMPLATES = (".yaml", ".yml", ".tpl", ".txt")  # of a chart
_NAMES = {
    "Chart.yaml": "charts",
    "values.yaml": "charts",
    "action.yml": "workflows",
    "action.yaml": "workflows",
    "package.json": "packages",
    "Makefile": "makefiles",
    "makefile": "makefiles",
    "GNUmakefile": "makefiles",
}


def format_of(path: str) -> str:
    """Return the format that reads a file, by its path; "" for every other file, and for vendored ones."""
    folder, _, name = path.rpartition("/")
    form = _NAMES.get(name, "")
    if folder == ".github/workflows" and name.endswith((".yml", ".yaml")):
        form = "workflows"
    elif name.endswith((*SUFFIXES, VALUES)):
        form = "terraform"
    elif name.endswith(".mk"):
        form = "makefiles"
    elif not form and name.endswith(TEMPLATES) and "/templates/" in f"/{folder}/":
        form = "charts"
    return "" if not form or is_output(path) or vendored_folder(path) else form
