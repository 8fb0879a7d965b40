"""What a preparation is handed of this machine's settings: certificates and addresses, and no login."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from boxes import LIMITS, box, missing

from bot.config import machine
from bot.review.running import online, prepare
from bot.review.running.execute import execute
from bot.review.running.values import HOME, Online, Run

boxed = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
AUTHORITY = b"-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n"


def settings(environment: Mapping[str, str], **files: str) -> Online:
    """The settings of a machine with these variables and files; `_` in a name stands for `/`."""
    known = {"/" + name.replace("_", "/").replace("DOT", "."): text.encode() for name, text in files.items()}
    return online.settings({"HOME": "/h", **environment}, lambda path, _: known.get(path), HOME)


def test_a_certificate_is_copied() -> None:
    """Each variable names the copy; two that name the same file share one."""
    made = settings({"SSL_CERT_FILE": "/ca/one", "PIP_CERT": "/ca/one", "NODE_EXTRA_CA_CERTS": "/ca/two", "CURL_CA_BUNDLE": "/ca/none"}, ca_one="A", ca_two="B")  # fmt: skip
    assert made.variables == {
        "SSL_CERT_FILE": f"{HOME}/{online.FOLDER}/1.pem",
        "PIP_CERT": f"{HOME}/{online.FOLDER}/1.pem",
        "NODE_EXTRA_CA_CERTS": f"{HOME}/{online.FOLDER}/2.pem",
    }
    assert sorted(made.files.values()) == [b"A", b"B"]


def test_the_files_of_pip_and_npm_count() -> None:
    """What they name is handed on, a login in them is not; the environment goes before."""
    made = settings(
        {"PIP_INDEX_URL": "https://index.example/simple"},
        hDOT_x="",
        etc_pipDOTconf="[global]\ncert = /ca/one\nindex-url = https://other.example/simple\ntrusted-host = index.example\n",
        h_DOTnpmrc="registry=https://npm.example/\n//npm.example/:_authToken=tok\n@acme:registry = https://acme.example/\ncafile=/ca/one\nscript-shell=/x\n",
        ca_one="A",
    )
    assert made.variables["PIP_INDEX_URL"] == "https://index.example/simple"
    assert made.variables["PIP_TRUSTED_HOST"] == "index.example"
    assert made.variables["SSL_CERT_FILE"] == made.variables["PIP_CERT"] == made.variables["NODE_EXTRA_CA_CERTS"]
    assert made.files[".npmrc"].decode().splitlines() == [
        "registry=https://npm.example/",
        "@acme:registry=https://acme.example/",
        f"cafile={HOME}/{online.FOLDER}/1.pem",
    ]


LOGINS = [
    ("PIP_INDEX_URL", "https://user:pass@index.example/simple"),
    ("PIP_EXTRA_INDEX_URL", "https://tok3n@index.example/simple"),
    ("UV_DEFAULT_INDEX", "https://index.example/simple?key=1"),
    ("UV_INDEX", "own=https://u:p@index.example/simple"),
    ("HTTPS_PROXY", "http://u:p@proxy.example:3128"),
    ("HTTP_PROXY", "u:p@proxy.example:3128"),
    ("NPM_CONFIG_REGISTRY", "https://index.example/npm/9fK2mQ8xT4vB7nL1cR5w/"),
    ("npm_config_registry", "https://${USER}.example/"),
    ("GOPROXY", "https://u:p@goproxy.example,direct"),
    ("ALL_PROXY", "socks5://u%40corp@proxy.example"),
]


@pytest.mark.parametrize(("name", "value"), LOGINS)
def test_a_login_is_left_out_and_named(name: str, value: str) -> None:
    """In an address, before it, in its path, in its query, and behind a variable."""
    made = settings({name: value})
    assert (made.variables, made.files, made.left_out) == ({}, {}, (name,))


def test_of_several_addresses_those_without_a_login_stay() -> None:
    """Places of this machine lead nowhere in there, so they go too, without a word."""
    made = settings({"PIP_EXTRA_INDEX_URL": "https://u:p@a.example https://b.example/simple file:///opt/x /opt/wheels"})
    assert (made.variables, made.left_out) == (
        {"PIP_EXTRA_INDEX_URL": "https://b.example/simple"},
        ("PIP_EXTRA_INDEX_URL",),
    )


def test_nothing_else_of_the_environment_is_asked_for() -> None:
    """No name of a key or a token is among those that are read."""
    assert not [name for name in online.NAMES if "TOKEN" in name or "KEY" in name or "PASS" in name or "AUTH" in name]
    assert machine.variables(("HOME_THAT_IS_NOT_SET",)) == {}
    assert machine.beginning("/nowhere/at/all", 9) is None


@boxed
def test_a_run_with_the_network_has_them_and_its_archive_does_not(tmp_path: Path) -> None:
    """Certificates and addresses are there while packages are fetched; later runs find none of it."""
    cache = prepare.Cache(tmp_path)
    files = {f"{online.FOLDER}/1.pem": AUTHORITY, ".npmrc": b"registry=https://npm.example/\n"}
    variables = {"PIP_CERT": f"{HOME}/{online.FOLDER}/1.pem"}
    command = "cat $PIP_CERT ~/.npmrc; test -s /etc/hosts"
    asked = Run(b"", command, limits=LIMITS, network=True, variables=variables, home=files)
    path, outcome = asyncio.run(cache.prepare("k", box(), asked, ()))
    assert path is not None, outcome.output
    assert outcome.output == (AUTHORITY + files[".npmrc"]).decode()
    look = f"ls -A ~/{online.FOLDER} | wc -l; test -e ~/.npmrc; echo $?; env | grep -c PIP"
    later = asyncio.run(execute(box(), Run(b"", look, limits=LIMITS, prepared=path)))
    assert later.output.split() == ["0", "1", "0"]
