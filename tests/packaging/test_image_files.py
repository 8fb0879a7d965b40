import configparser
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from pathspec import GitIgnoreSpec

from bot.config.server import ServerOptions

ROOT = Path(__file__).parents[2]
TEXT = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())  # one instruction per line
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
OURS = ("server", "worker")


def steps(word: str) -> list[str]:
    """Return the arguments of each instruction of this kind."""
    return re.findall(rf"^{word} (.*)$", TEXT, re.MULTILINE)


def test_packages_are_installed_by_hash_or_from_the_local_build() -> None:
    """Packages are installed by hash from lock files, or from the local build without an index."""
    installs = [part for run in steps("RUN") for part in run.split("&&") if "pip " in part and " install " in part]
    assert installs
    assert [part for part in installs if "--require-hashes" not in part and "--no-index" not in part] == []


@pytest.mark.parametrize("name", OURS)
def test_container_has_minimal_privileges(name: str) -> None:
    """The container is read-only, without capabilities, and can't gain privileges."""
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_secrets_are_passed_as_files() -> None:
    """Secrets are passed as files below /run/secrets, not as environment variables."""
    for service in COMPOSE["services"].values():
        assert not any(
            ":?" in str(value) for value in service["environment"].values()
        )  # variables may be unset before the setup page is used
        files = [value for key, value in service["environment"].items() if key.endswith("_FILE")]
        assert sorted(files) == sorted(f"/run/secrets/{name}" for name in service["secrets"])
        assert set(service["secrets"]) <= set(COMPOSE["secrets"])
        assert not [key for key in service["environment"] if key.endswith(("_SECRET", "_KEY", "_PASSWORD", "_URL"))]


def test_copied_files_pass_dockerignore_and_secrets_do_not() -> None:
    """All sources of COPY exist and pass .dockerignore, which excludes git history, journals and keys."""
    ignored = GitIgnoreSpec.from_lines((ROOT / ".dockerignore").read_text().splitlines())
    for name in (name for step in steps("COPY") if not step.startswith("--from=") for name in step.split()[:-1]):
        assert (ROOT / name).exists()
        assert not ignored.match_file(name)
    for name in (".git/config", ".env", "secrets/private_key.pem", "bot/__pycache__/x.pyc", "tests/a.py"):
        assert ignored.match_file(name), name


MANIFESTS = list(yaml.safe_load_all((ROOT / "docs" / "kubernetes.yaml").read_text()))
PODS = [each["spec"]["template"]["spec"] for each in MANIFESTS if each["kind"] == "Deployment"]


def test_pod_has_minimal_privileges() -> None:
    """Pods run read-only as the image's user, without capabilities, with liveness and readiness probes."""
    user = re.search(r"^USER (\d+):", TEXT, re.MULTILINE)
    assert user is not None
    assert [pod["containers"][0]["args"] for pod in PODS] == [["serve"], ["worker"]]
    for pod in PODS:
        (container,) = pod["containers"]
        assert pod["securityContext"]["runAsUser"] == int(user[1])
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        probes = [container[name]["httpGet"]["path"] for name in ("livenessProbe", "readinessProbe")]
        assert probes == ["/healthz", "/readyz"]
        assert pod["terminationGracePeriodSeconds"] > ServerOptions.model_fields["grace"].default
        assert {each["mountPath"] for each in container["volumeMounts"]} == {"/data", "/tmp"}  # noqa: S108 - of a pod


UNIT = ROOT / "docs" / "deeprepo.service"


def test_systemd_unit_stops_after_the_grace_period() -> None:
    """The unit runs the installed program, stores data in its state folder, and outlasts the grace period."""
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[method-assign,assignment]
    unit.read(UNIT)
    service, page = unit["Service"], (ROOT / "docs" / "deploy.md").read_text()
    program, command = service["ExecStart"].split()
    assert f"$ python3 -m venv {Path(program).parents[1]}\n" in page
    assert command == "serve"
    assert f"DEEPREPO_DATA=/var/lib/{service['StateDirectory']} " in service["Environment"]
    assert int(service["TimeoutStopSec"]) > ServerOptions.model_fields["grace"].default


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_systemd_unit_is_hardened() -> None:
    """The exposure score by systemd is at most 2 of 10."""
    judge = ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(UNIT)]
    done = subprocess.run(judge, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-200:] + done.stderr
