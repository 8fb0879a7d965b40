"""What importing the engine loads."""

import subprocess
import sys

from benchmarks.engine import ENGINE


def test_engine_import_loads_no_optional_libraries() -> None:
    """Optional libraries are only loaded with the first diff, pattern or answer."""
    later = "{'pathspec', 'unidiff', 'jinja2', 'tree_sitter'}"
    command = [sys.executable, "-c", f"import sys; {ENGINE}; print(sorted({later} & set(sys.modules)))"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "[]"
