"""Where an organization's defaults are, as set by an operator or a person at a terminal."""

from dataclasses import dataclass

from bot.config.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganizationVariables:
    """DEEPREPO_ORGANIZATION and DEEPREPO_ORGANIZATION_REPOSITORY."""

    organization: str | None = setting(
        None,
        "A clone of your organization's `.deeprepo` repository. Its HEAD contains the default settings for the command line, "
        "hooks and the library.",
    )
    organization_repository: str | None = setting(
        None,
        "The name of the owner's repository with default settings, for a server and the Action. `off`: no defaults. "
        "Default: `.deeprepo`.",
        pattern=r"^[A-Za-z0-9._-]{1,100}$",
    )
