import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from pathspec import GitIgnoreSpec

from bot.config.server import App, ServerPlace

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / ".ci"))

import dockerfile  # noqa: E402 - what `make image-check` reads the Dockerfile with

STAGES = dockerfile.read((ROOT / "Dockerfile").read_text())
FINAL = STAGES[-1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
OURS = ("server", "worker")


def test_both_stages_have_one_pinned_base() -> None:
    """A tag can move, a digest cannot."""
    assert {stage.base.partition("@")[2][:7] for stage in STAGES} == {"sha256:"}
    assert len({stage.base for stage in STAGES}) == 1


def test_the_image_runs_as_nobody_in_particular() -> None:
    """A fixed number, which owns the data folder and nothing else."""
    assert [step.rest for step in FINAL.steps if step.word == "USER"] == ["10001:10001"]
    assert [step.words for step in FINAL.steps if step.word == "CMD"] == [["serve"]]


def test_every_download_is_held_to_its_hash() -> None:
    """What pip installs comes from the two lock files with hashes, or from what was just built, without an index."""
    runs = [part for step in STAGES[0].steps if step.word == "RUN" for part in step.rest.split("&&")]
    for part in runs:
        if " install " in part:
            assert "--require-hashes" in part or "--no-index" in part


def test_what_is_copied_is_let_in_and_nothing_else() -> None:
    """Each source of COPY exists and passes .dockerignore; journals, keys and the history of git do not."""
    ignored = GitIgnoreSpec.from_lines((ROOT / ".dockerignore").read_text().splitlines())
    copied = [step.words[:-1] for stage in STAGES for step in stage.steps if step.word == "COPY"]
    for name in (name for names in copied if not names[0].startswith("--from=") for name in names):
        assert (ROOT / name).exists()
        assert not ignored.match_file(name)
    for name in (
        ".git/config",
        ".env",
        "deeprepo.env",
        "secrets/private_key.pem",
        "bot/__pycache__/x.pyc",
        "tests/a.py",
    ):
        assert ignored.match_file(name), name


def test_the_health_check_is_a_program_of_the_image() -> None:
    """It is Python and nothing else: it parses, and with no server it fails."""
    words = FINAL.health()
    assert words[0] == "python"
    done = subprocess.run(
        [sys.executable, *words[1:]], env={"DEEPREPO_PORT": "9"}, capture_output=True, text=True, check=False
    )
    assert "ConnectionRefusedError" in done.stderr


@pytest.mark.parametrize("name", OURS)
def test_a_container_can_do_nothing_but_its_work(name: str) -> None:
    """Read-only, without capabilities, and no way to get some."""
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_secrets_are_files() -> None:
    """No variable of the compose file holds a secret: each names a file below /run/secrets that the service is given."""
    for service in COMPOSE["services"].values():
        files = [value for key, value in service["environment"].items() if key.endswith("_FILE")]
        assert sorted(files) == sorted(f"/run/secrets/{name}" for name in service["secrets"])
        assert set(service["secrets"]) <= set(COMPOSE["secrets"])
        assert not [key for key in service["environment"] if key.endswith(("_SECRET", "_KEY", "_PASSWORD", "_URL"))]


def test_every_setting_exists() -> None:
    """What the image and the compose file set is a setting of the server, under this very name."""
    known = {f"DEEPREPO_{name.upper()}" for kind in (App, ServerPlace) for name in kind.model_fields}
    given = {key for key in FINAL.environment() if key.startswith("DEEPREPO_")}
    for name in OURS:
        given |= set(COMPOSE["services"][name]["environment"])
    assert {key.removesuffix("_FILE") for key in given} <= known


def test_images_of_others_are_pinned() -> None:
    """The database is one known image."""
    assert "@sha256:" in COMPOSE["services"]["database"]["image"]


def test_the_image_is_asked_for_commands_that_it_has() -> None:
    """What the two checks of the image run is a command of the product, not of a distribution that the image lacks."""
    smoke, facts = ((ROOT / ".ci" / name).read_text() for name in ("image_smoke", "image_facts.py"))
    given = [step.words[0] for step in FINAL.steps if step.word == "CMD"]
    asked = {
        *given,
        *re.findall(r'"\$image" (?:\\\n\s*)?([a-z]+)', smoke),
        *re.findall(r'"deeprepo", "([a-z]+)"', facts),
    }
    own = (ROOT / "bot" / "cli" / "commands.py").read_text()
    assert {"serve", "review"} <= asked
    assert asked <= {
        *re.findall(r'app\.command\(name="(\w+)"', own),
        *re.findall(r'^    "(\w+)": \w+,$', own, re.MULTILINE),
    }
