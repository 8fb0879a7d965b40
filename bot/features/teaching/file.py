"""`.deeprepo/ignore.yml` among the files of an owner."""

from bot.config.owner_file import OwnerFile, Problem
from bot.features.teaching import names


class IgnoredFindings(OwnerFile):
    """The list of what is not reported."""

    path = names.FILE
    other_names = names.OTHER_NAMES
    local_path = names.LOCAL_FILE
    fatal_consequence = "Every finding in it will be reported again."
    consequence = "Findings that it should ignore may be reported again."

    def problems(self, text: bytes) -> tuple[Problem, ...]:
        """List what is wrong with its text."""
        from bot.features.teaching import ignore_file  # here: it loads slower than a review by code

        return ignore_file.check(text).problems


IGNORED_FINDINGS = IgnoredFindings()
