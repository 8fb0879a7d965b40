import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def size(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the size check in a copy of the repository."""
    return subprocess.run(
        [sys.executable, folder / ".ci/size.py", *options], capture_output=True, text=True, check=False
    )


def test_growth_fails_and_the_table_is_only_lowered(tmp_path: Path) -> None:
    """A part above its limit fails the check. Lowering the table never raises a limit."""
    (tmp_path / ".ci").mkdir()
    (tmp_path / "bot").mkdir()
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / ".ci/size.py", tmp_path / ".ci")
    (tmp_path / ".ci/size.toml").write_text("[tokens]\nbot = 20\ntotal = 20\n[limits]\nbot = 9\n[rows]\npromises = 1\n")
    (tmp_path / "tests/PROMISES.md").write_text("| 1 | a | b |\n")
    module = tmp_path / "bot/a.py"
    module.write_text('"""A docstring."""\n\n# a comment\nLIMIT = 12 * f"{2} and {3:>4}"[:5]\n')
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    assert size(tmp_path).returncode == 0
    assert size(tmp_path, "--lower").returncode == 0
    table = (tmp_path / ".ci/size.toml").read_text()
    assert table == '[tokens]\n"bot" = 12\n"total" = 12\n\n[limits]\n"bot" = 3\n\n[rows]\n"promises" = 1\n'
    module.write_text(module.read_text() + "OTHER = 100\n")
    assert size(tmp_path).stderr.splitlines()[1:] == [
        "tokens of bot: 14, at most 12",
        "tokens of total: 14, at most 12",
    ]
    size(tmp_path, "--lower")
    assert (tmp_path / ".ci/size.toml").read_text() == table
