import configparser
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from pathspec import GitIgnoreSpec

from bot.config.server import App, ServerOptions

ROOT = Path(__file__).parents[2]
TEXT = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())  # an instruction a line
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
OURS = ("server", "worker")


def steps(word: str) -> list[str]:
    """What stands behind each instruction of this kind."""
    return re.findall(rf"^{word} (.*)$", TEXT, re.MULTILINE)


def test_every_download_is_held_to_its_hash() -> None:
    """What pip installs comes from the two lock files with hashes, or from what was just built, without an index."""
    installs = [part for run in steps("RUN") for part in run.split("&&") if "pip " in part and " install " in part]
    assert installs
    assert [part for part in installs if "--require-hashes" not in part and "--no-index" not in part] == []


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
        assert not any(
            ":?" in str(value) for value in service["environment"].values()
        )  # the set-up page has nothing yet
        files = [value for key, value in service["environment"].items() if key.endswith("_FILE")]
        assert sorted(files) == sorted(f"/run/secrets/{name}" for name in service["secrets"])
        assert set(service["secrets"]) <= set(COMPOSE["secrets"])
        assert not [key for key in service["environment"] if key.endswith(("_SECRET", "_KEY", "_PASSWORD", "_URL"))]


def test_every_setting_exists() -> None:
    """What the image and the compose file set is a setting of the server, under this very name."""
    known = {f"DEEPREPO_{name.upper()}" for kind in (App, ServerOptions) for name in kind.model_fields}
    given = set(re.findall(r"\b(DEEPREPO_\w+)=", " ".join(steps("ENV"))))
    assert given
    for name in OURS:
        given |= set(COMPOSE["services"][name]["environment"])
    assert {key.removesuffix("_FILE") for key in given} <= known


def test_what_is_copied_is_let_in_and_nothing_else() -> None:
    """Each source of COPY exists and passes .dockerignore; journals, keys and the history of git do not."""
    ignored = GitIgnoreSpec.from_lines((ROOT / ".dockerignore").read_text().splitlines())
    for name in (name for step in steps("COPY") if not step.startswith("--from=") for name in step.split()[:-1]):
        assert (ROOT / name).exists()
        assert not ignored.match_file(name)
    for name in (".git/config", ".env", "secrets/private_key.pem", "bot/__pycache__/x.pyc", "tests/a.py"):
        assert ignored.match_file(name), name


def test_the_image_has_every_package_of_the_wheel() -> None:
    """What the wheel is built from is copied into the image before it is built there."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    copied = {name for step in steps("COPY") if not step.startswith("--from=") for name in step.split()[:-1]}
    assert {*wheel["packages"], *wheel["force-include"]} <= copied


MANIFESTS = list(yaml.safe_load_all((ROOT / "docs" / "kubernetes.yaml").read_text()))
PODS = [each["spec"]["template"]["spec"] for each in MANIFESTS if each["kind"] == "Deployment"]


def test_a_pod_can_do_nothing_but_its_work() -> None:
    """It runs as the image's user, read-only, without capabilities, and is asked whether it lives and is ready."""
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


def test_the_manifests_set_what_exists_and_let_in_what_is_needed() -> None:
    """Each variable is a setting; GitHub and people reach the pages, and nobody outside reaches the probes."""
    known = {f"DEEPREPO_{name.upper()}" for kind in (App, ServerOptions) for name in kind.model_fields}
    given = {each["name"] for pod in PODS for each in pod["containers"][0]["env"]}
    given |= next(each["data"] for each in MANIFESTS if each["kind"] == "ConfigMap").keys()
    assert given <= known
    (ingress,) = [each for each in MANIFESTS if each["kind"] == "Ingress"]
    paths = {each["path"] for each in ingress["spec"]["rules"][0]["http"]["paths"]}
    assert {"/", "/webhook", "/signin", "/reviews"} <= paths
    assert not paths & {"/healthz", "/readyz", "/metrics"}


UNIT = ROOT / "docs" / "deeprepo.service"


def test_the_unit_stops_as_the_server_does() -> None:
    """It runs what the page installs, keeps the data where it may write, and waits longer than the server's grace."""
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
def test_the_unit_is_hardened() -> None:
    """As systemd itself judges: 0 is nothing exposed, 10 everything."""
    judge = ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(UNIT)]
    done = subprocess.run(judge, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-200:] + done.stderr
