"""The owner's settings for running tests."""

from dataclasses import dataclass

from bot.config.setting import setting


# ruff: noqa: FBT003 - `setting` returns what `field` returns; its first argument is the default
# ruff: noqa: RUF009 - `setting` returns what `field` returns
@dataclass(frozen=True, slots=True, kw_only=True)
class RunSection:
    """The `run` section: how to run tests in a sandbox.

    Unset values are derived from the repository's files.
    """

    prepare: str | None = setting(
        None,
        "The command that installs test dependencies at the base commit. Default: derived from the lock files if `network` is true, otherwise none.",
    )
    test: str | None = setting(
        None,
        "The command that runs one test file, with `{file}`, `{folder}`, `{name}`, `{module}` or `{n}`, from the repository root. Default: derived from the package of the file.",
    )
    files: str | None = setting(
        None,
        "The path of a new test file, with `{n}`, and `{beside}` for the folder of the code. Default: derived from the package of the file.",
    )
    image: str | None = setting(None, "The container image for docker or podman.")
    network: bool = setting(
        False,
        "Whether `prepare` may use the network, if `DEEPREPO_RUN_NETWORK` allows it. Tests never have network access.",
    )
    findings: int = setting(3, "How many findings a review tries to reproduce, most severe first.", ge=0, le=10)
    seconds: float = setting(120, "Time limit of one run, in seconds.", gt=0, le=900)
    memory: int = setting(2_048, "Memory limit of one run, in MB.", ge=64, le=65_536)
    processes: int = setting(256, "Maximum processes and threads in one run.", ge=8, le=4_096)
    disk: int = setting(1_024, "Disk limit of one run in MB, including the code.", ge=16, le=65_536)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The owner's setting that turns tests on."""

    run: RunSection | None = setting(
        None,
        "How to run tests in a sandbox to reproduce findings. Without this section, no tests are run.",
        entries=RunSection,
    )
