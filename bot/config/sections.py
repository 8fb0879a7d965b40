"""What every section of the repository's file is, and the section that code below the settings takes as it is."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bot.text import globs


def _pattern(value: str) -> str:
    globs.check(value)  # raises a ValueError, which pydantic tells with the key
    return value


Pattern = Annotated[str, AfterValidator(_pattern)]  # as in .gitignore


class FileSection(BaseModel):
    """A section of the file. What it does not know is reported elsewhere."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class RunSection(FileSection):
    """Section `run`: how tests are run in a sandbox, to reproduce findings. What is not set is taken from the files of the repository."""

    prepare: str | None = Field(
        default=None,
        description="The command that installs what tests need, at the base commit. Default: by the lock files, if `network` is true; else none.",
    )
    test: str | None = Field(
        default=None,
        description="The command that runs one test file, with `{file}`, `{folder}`, `{name}`, `{module}` or `{n}`, from the top folder. Default: by the package that a file is in.",
    )
    files: str | None = Field(
        default=None,
        description="The path of a new test file, with `{n}`, and `{beside}` for the folder of the code. Default: the same.",
    )
    image: str | None = Field(default=None, description="The image of a container, for docker and podman.")
    network: bool = Field(
        default=False,
        description="Whether packages are installed with the network, if `DEEPREPO_RUN_NETWORK` allows it. Tests never have it.",
    )
    fixtures: tuple[Pattern, ...] = Field(
        default=(),
        description="Files of tests whose keys and tokens open nothing, as in .gitignore: the sandbox has them as the base has. In all others a placeholder stands for each.",
    )
    findings: int = Field(default=3, ge=0, le=10, description="Findings that a review tries to reproduce, worst first.")
    seconds: float = Field(default=120, gt=0, le=900, description="Seconds that one run may take.")
    memory: int = Field(
        default=2_048, ge=64, le=65_536, description="MB that all processes of a run may hold together."
    )
    processes: int = Field(default=256, ge=8, le=4_096, description="Processes and threads of a run.")
    disk: int = Field(default=1_024, ge=16, le=65_536, description="MB of all files of a run, its tree included.")
