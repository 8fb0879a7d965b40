"""The package's README describes one turn in at most ten functions, and the package imports on its own."""

import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "deeprepo" / "rlm"
STEP = re.compile(r"`([\w/]+)\.py`((?:,? `[\w.]+`)+)")


def test_package_import_loads_no_reviewer_modules() -> None:
    """Importing all its modules loads neither `bot` nor `deeprepo.impact` nor the library's own modules."""
    files = [path.relative_to(FOLDER.parents[1]).with_suffix("") for path in FOLDER.rglob("*.py")]
    modules = sorted(".".join(path.parts).removesuffix(".__init__") for path in files)
    asked = "import sys; print([name for name in sys.modules if name.startswith(('bot', 'deeprepo.impact', 'deeprepo._'))] or '')"
    done = subprocess.run(
        [sys.executable, "-c", f"import {', '.join(modules)}; {asked}"],
        cwd=FOLDER.parents[1], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "", done.stdout
    assert done.returncode == 0, done.stderr
