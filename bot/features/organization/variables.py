"""Where the defaults of an organization are, as an operator says it, or a person at a terminal."""

from dataclasses import dataclass

from bot.config.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganizationVariables:
    """DEEPREPO_ORGANIZATION and DEEPREPO_ORGANIZATION_REPOSITORY."""

    organization: str | None = setting(
        None,
        "The folder of a clone of your organization's `.deeprepo` repository, whose HEAD has the defaults of its repositories: for "
        "the command line, the hooks and the library.",
    )
    organization_repository: str | None = setting(
        None,
        "The name of the owner's repository that has the defaults, on a server and in the Action; `off`: none is read. "
        "Default: `.deeprepo`.",
        pattern=r"^[A-Za-z0-9._-]{1,100}$",
    )
