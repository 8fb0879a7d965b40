"""Whether and how tests are run on this machine, as its operator says it."""

from dataclasses import dataclass
from typing import Literal

from bot.config.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVariables:
    """DEEPREPO_RUN, DEEPREPO_RUN_SANDBOX and so on."""

    run: bool | None = setting(
        None,
        "Whether tests are run in a sandbox for repositories whose `.deeprepo.yml` has a section `run`. Without it nothing is run.",
        is_permission=True,
    )
    run_sandbox: Literal["bubblewrap", "docker", "podman"] | None = setting(
        None, "The sandbox that tests are run in; without it the first of these that is installed."
    )
    run_tools: str | None = setting(
        None,
        "Folders of this machine that bubblewrap shows beside /usr, read-only, separated by `:`, such as `/opt/go:/opt/node`.",
    )
    run_network: bool | None = setting(None, "Whether `run.prepare` may use the network.")
    run_forks: bool | None = setting(
        None, "Whether tests are run for pull requests from forks, too, on a server and in the Action."
    )
    run_cache: str | None = setting(
        None, "The folder that keeps what `run.prepare` has installed, 8 GB at most. Default: `~/.cache/deeprepo/run`."
    )
