"""The operator's settings for running tests on this machine."""

from dataclasses import dataclass
from typing import Literal

from bot.config.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVariables:
    """DEEPREPO_RUN, DEEPREPO_RUN_SANDBOX and so on."""

    run: bool | None = setting(
        None,
        "Whether to run tests in a sandbox for repositories that have a `run` section in `.deeprepo.yml`.",
        is_permission=True,
    )
    run_sandbox: Literal["bubblewrap", "docker", "podman"] | None = setting(
        None, "The sandbox for tests. Default: the first of these that is installed."
    )
    run_tools: str | None = setting(
        None,
        "Extra read-only folders for bubblewrap in addition to /usr, separated by `:`, such as `/opt/go:/opt/node`.",
    )
    run_network: bool | None = setting(None, "Whether `run.prepare` may use the network.")
    run_forks: bool | None = setting(
        None, "Whether a server and the Action also run tests for pull requests from forks."
    )
    run_cache: str | None = setting(
        None,
        "The cache folder for the dependencies that `run.prepare` installs (at most 8 GB). Default: `~/.cache/deeprepo/run`.",
    )
