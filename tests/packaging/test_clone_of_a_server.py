import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "deploy.md").read_text()
WRITTEN = re.compile(r"(?:>|/dev/null) +((?:secrets/)?[\w.]+(?:\.env|\.pem|secret|password|url)|\.env)\b")


def test_git_ignores_the_secret_files_of_a_deployment(tmp_path: Path) -> None:
    """Git ignores the secret files of the deployment page, because users push this clone."""
    written = {name for line in PAGE.splitlines() if line.startswith("$") for name in WRITTEN.findall(line)}
    assert {"secrets/database_password", "secrets/database_url", "deeprepo.env"} <= written
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text((ROOT / ".gitignore").read_text())
    (tmp_path / "secrets").mkdir()
    for name in written:
        (tmp_path / name).write_text("secret\n")
    added = subprocess.run(["git", "add", "-A", "-n"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert added.stdout == "add '.gitignore'\n"
