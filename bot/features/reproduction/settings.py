"""How tests are run for a repository, as its owner says it."""

from dataclasses import dataclass

from bot.config.setting import setting


# ruff: noqa: FBT003 - `setting` returns what `field` returns; its first argument is the default
# ruff: noqa: RUF009 - `setting` returns what `field` returns
@dataclass(frozen=True, slots=True, kw_only=True)
class RunSection:
    """Section `run`: how tests are run in a sandbox, to reproduce findings. What is not set is taken from the files of the repository."""

    prepare: str | None = setting(
        None,
        "The command that installs what tests need, at the base commit. Default: by the lock files, if `network` is true; else none.",
    )
    test: str | None = setting(
        None,
        "The command that runs one test file, with `{file}`, `{folder}`, `{name}`, `{module}` or `{n}`, from the top folder. Default: by the package that a file is in.",
    )
    files: str | None = setting(
        None, "The path of a new test file, with `{n}`, and `{beside}` for the folder of the code. Default: the same."
    )
    image: str | None = setting(None, "The image of a container, for docker and podman.")
    network: bool = setting(
        False,
        "Whether packages are installed with the network, if `DEEPREPO_RUN_NETWORK` allows it. Tests never have it.",
    )
    findings: int = setting(3, "Findings that a review tries to reproduce, worst first.", ge=0, le=10)
    seconds: float = setting(120, "Seconds that one run may take.", gt=0, le=900)
    memory: int = setting(2_048, "MB that all processes of a run may hold together.", ge=64, le=65_536)
    processes: int = setting(256, "Processes and threads of a run.", ge=8, le=4_096)
    disk: int = setting(1_024, "MB of all files of a run, its tree included.", ge=16, le=65_536)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """Whether the owner wants tests to be run."""

    run: RunSection | None = setting(
        None,
        "How tests are run in a sandbox, to reproduce findings. Without this section nothing is run.",
        entries=RunSection,
    )
