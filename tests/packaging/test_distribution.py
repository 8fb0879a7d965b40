import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import bare
import pytest
from fakes import Repository

from bot import __version__

ROOT = Path(__file__).parents[2]
ADDRESS = "https://github.com/acme/deeprepo"
BEFORE = {
    "prices.py": "def total(prices):\n    return sum(prices)\n",
    "shop.py": "from prices import total\n\nprint(total([1, 2]))\n",
}
AFTER = {"prices.py": "def total(prices, tax):\n    return sum(prices) * tax\n"}

RLMS = "rlms==0.1.3"  # the original implementation of RLMs, which installs a package `rlm`
# Check that all files of both distributions are as installed.
INTACT = """
import base64, hashlib, importlib.metadata
for name in ("deeprepo-bot", "rlms"):
    for file in importlib.metadata.distribution(name).files:
        if file.hash:
            digest = hashlib.new(file.hash.mode, file.locate().read_bytes()).digest()
            assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value, file
import deeprepo
from rlm import RLM
assert RLM is not deeprepo.RLM
print("both")
"""


def run(*command: str | Path, cwd: Path = ROOT, **env: str) -> str:
    """Run a program that must succeed and return its output."""
    inherited = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    done = subprocess.run(
        command,
        cwd=cwd,
        env={"PATH": os.environ["PATH"], **inherited, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel and source distribution, built as for a release."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, ".ci/release.py", ADDRESS, folder / "tree")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", folder, cwd=folder / "tree")
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    """The wheel."""
    return next(dist.glob("*.whl"))


def test_wheel_contains_every_file_that_the_package_reads(wheel: Path) -> None:
    """The wheel contains every non-Python file that the package opens, such as templates and migrations."""
    held = set(zipfile.ZipFile(wheel).namelist())
    templates = {f"bot/{path.relative_to(ROOT)}" for path in (ROOT / "templates").rglob("*") if path.is_file()}
    data = {
        str(path.relative_to(ROOT))
        for package in ("bot", "deeprepo")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert templates | data <= held
    assert "deeprepo/py.typed" in held
    assert not [name for name in held if name.startswith(("tests/", "benchmarks/"))]


def test_release_names_its_address(dist: Path, wheel: Path, tmp_path: Path) -> None:
    """A release's page and metadata have no placeholder and no relative link, and its `init` and hints name the release."""
    metadata = next(name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("/METADATA"))
    page = zipfile.ZipFile(wheel).read(metadata).decode()
    assert f"Project-URL: Source, {ADDRESS}/tree/" in page
    assert "OWNER" not in page
    assert "`pip install deeprepo-bot`" in page
    assert not re.findall(r"(?:\]\(|src=\")(?!https:|#)", page)
    run(bare.UV, "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", tmp_path, wheel)
    installed = {"cwd": tmp_path, "PYTHONPATH": str(tmp_path)}
    hint = run(sys.executable, "-c", "from bot.machine import extras; print(extras.install('models'))", **installed)
    assert "install 'deeprepo-bot[models]'`" in hint
    run("git", "init", "-q", tmp_path / "shop")
    run(tmp_path / "bin" / "deeprepo", "init", cwd=tmp_path / "shop", PYTHONPATH=str(tmp_path))
    assert "uses: acme/deeprepo@" in (tmp_path / "shop" / ".github" / "workflows" / "deeprepo.yml").read_text()


@pytest.mark.slow
def test_wheel_installs_from_the_lock_file(wheel: Path, repository: Repository, tmp_path: Path) -> None:
    """In a new environment with locked, hashed dependencies, the wheel is installed and reviews a change."""
    place = tmp_path / "environment"
    python = bare.locked(place, ROOT / "requirements-base.lock")
    run(bare.UV, "pip", "install", "--quiet", "--no-deps", "--no-index", "--python", python, wheel)
    assert run(place / "bin" / "deeprepo", "--version", cwd=tmp_path).startswith(f"deeprepo {__version__}+")
    repository.change(BEFORE, AFTER)
    assert "shop.py:3" in run(place / "bin" / "deeprepo", "review", "HEAD~1..HEAD", cwd=repository.folder)


@pytest.mark.slow
def test_rlms_can_be_installed_alongside(wheel: Path, repository: Repository, tmp_path: Path) -> None:
    """Neither package overwrites the other's files, both can be imported, and a review works."""
    place = tmp_path / "environment"
    run(sys.executable, "-m", "venv", place)
    python = place / "bin" / "python"
    pip = (python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile", "--no-deps")
    for each in (RLMS, wheel):
        run(*pip, each)
    # The dependencies come from the environment that runs the tests.
    own = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    assert run(python, "-c", INTACT, cwd=tmp_path).strip() == "both"
    repository.change(BEFORE, AFTER)
    assert "shop.py:3" in run(place / "bin" / "deeprepo", "review", "HEAD~1..HEAD", cwd=repository.folder)
