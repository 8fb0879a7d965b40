"""What this machine has set for programs that fetch packages, as far as a preparation may know it: certificates, proxies, registries.

A preparation runs code of the base. So it is handed addresses and certificates, which hold for everybody on the machine, and nothing with
a login: such a setting is left out, and named.
"""

import configparser
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from bot.masking.detect import secrets
from bot.review.running.values import Online

CERTIFICATES = (
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "PIP_CERT", "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO",
    "NPM_CONFIG_CAFILE", "npm_config_cafile", "BUNDLE_SSL_CA_CERT", "COMPOSER_CAFILE",
)  # fmt: skip
ADDRESSES = (
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST", "PIP_DEFAULT_TIMEOUT", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_HTTP_TIMEOUT", "NPM_CONFIG_REGISTRY", "npm_config_registry",
    "YARN_NPM_REGISTRY_SERVER", "YARN_REGISTRY", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOPRIVATE",
)  # fmt: skip
PLACES = ("HOME", "XDG_CONFIG_HOME", "PIP_CONFIG_FILE", "NPM_CONFIG_USERCONFIG", "npm_config_userconfig")
NAMES = (*CERTIFICATES, *ADDRESSES, *PLACES)
PIP = {"index-url": "PIP_INDEX_URL", "extra-index-url": "PIP_EXTRA_INDEX_URL", "trusted-host": "PIP_TRUSTED_HOST", "timeout": "PIP_DEFAULT_TIMEOUT", "cert": "PIP_CERT"}  # fmt: skip
NPM = frozenset(["registry", "cafile", "proxy", "https-proxy", "noproxy", "strict-ssl", "fetch-timeout"])
SCOPED = re.compile(r"@[\w.~-]{1,100}:registry")
LOGIN = re.compile(r"[@?#]|\$\{|%40")  # a login, a query, a variable: an address without these is for everybody
TOKEN = re.compile(
    r"(?<![\w-])(?=[\w-]*[0-9])(?=[\w-]*[A-Za-z])[\w-]{20,}(?![\w-])"
)  # a part of a path that nobody made up
LOCAL = re.compile(r"^(?:file:|/|\.{1,2}/|~)")
MOST = 4 << 20  # bytes of a file of certificates
Read = Callable[[str, int], bytes | None]
FOLDER = ".deeprepo-certificates"


def settings(environment: Mapping[str, str], read: Read, home: str) -> Online:
    """Return what a preparation may know. `read`: the first bytes of a file of this machine; `home`: that of the sandbox."""
    left_out: list[str] = []
    copies = _Copies(read, home)
    values = _pip(environment, read) | {
        name: environment[name] for name in (*ADDRESSES, *CERTIFICATES) if environment.get(name)
    }
    addresses = {name: _open(name, value, left_out) for name, value in values.items() if name in ADDRESSES}
    certificates = {name: copies.path(values[name]) for name in CERTIFICATES if name in values}
    rows = _npm(environment, read)
    authority = copies.path(rows.pop("cafile", ""))
    lines = {key: _open(f"{key} of npm", value, left_out) for key, value in rows.items()} | {"cafile": authority}
    usual = {
        "SSL_CERT_FILE": certificates.get("PIP_CERT", ""),
        "NODE_EXTRA_CA_CERTS": authority,
    }  # other programs look here
    variables = {name: value for name, value in (usual | certificates | addresses).items() if value}
    text = "".join(f"{key}={value}\n" for key, value in lines.items() if value)
    return Online(variables, copies.files | ({".npmrc": text.encode()} if text else {}), tuple(dict.fromkeys(left_out)))


@dataclass(slots=True)
class _Copies:
    """Files of certificates, as the sandbox has them."""

    read: Read
    home: str
    files: dict[str, bytes] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)

    def path(self, source: str) -> str:
        """The path of a copy in the sandbox; "" if there is nothing to copy."""
        if source not in self.paths:
            data, name = self.read(source, MOST) if source else None, f"{FOLDER}/{len(self.files) + 1}.pem"
            self.paths[source] = f"{self.home}/{name}" if data else ""
            if data:
                self.files[name] = data
        return self.paths[source]


def _open(name: str, value: str, left_out: list[str]) -> str:
    """The addresses of a setting that hold no login; those of this machine's own files lead nowhere in the sandbox."""
    words = []
    for word in value.split():
        if LOGIN.search(word) or TOKEN.search(word) or secrets(word):
            left_out.append(name)
        elif not LOCAL.match(word.partition("=")[2] or word):
            words.append(word)
    return " ".join(words)


def _pip(environment: Mapping[str, str], read: Read) -> dict[str, str]:
    """The settings of pip's files, as the variables that mean the same; a later file counts for more."""
    home = environment.get("HOME", "")
    places = ["/etc/pip.conf", "/etc/xdg/pip/pip.conf"]
    if home:
        places += [f"{home}/.pip/pip.conf", f"{environment.get('XDG_CONFIG_HOME') or f'{home}/.config'}/pip/pip.conf"]
    values: dict[str, str] = {}
    for place in (*places, environment.get("PIP_CONFIG_FILE", "")):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        with suppress(configparser.Error):
            parser.read_string(((read(place, MOST) if place else None) or b"").decode("utf-8", "replace"))
        for section in ("global", "install"):
            values |= {name: value for key, name in PIP.items() if (value := parser.get(section, key, fallback=""))}
    return values


def _npm(environment: Mapping[str, str], read: Read) -> dict[str, str]:
    """The settings of npm's files that are no login."""
    home = environment.get("HOME", "")
    own = (
        environment.get("NPM_CONFIG_USERCONFIG")
        or environment.get("npm_config_userconfig")
        or (f"{home}/.npmrc" if home else "")
    )
    values: dict[str, str] = {}
    for place in ("/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc", own):
        for line in ((read(place, MOST) if place else None) or b"").decode("utf-8", "replace").splitlines():
            key, sign, value = line.partition("=")
            key = key.strip()
            if sign and (key in NPM or SCOPED.fullmatch(key)):
                values[key] = value.strip().strip("\"'")
    return values
