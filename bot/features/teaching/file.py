"""The entry of `.deeprepo/ignore.yml` in the list of owner files."""

from bot.config.owner_file import OwnerFile, Problem
from bot.features.teaching import names


class IgnoredFindings(OwnerFile):
    """The file with ignored findings."""

    path = names.FILE
    other_names = names.OTHER_NAMES
    local_path = names.LOCAL_FILE
    fatal_consequence = "Once this is merged, every finding that the file ignores is reported again."
    consequence = "Once this is merged, findings that this entry should ignore may be reported again."

    def problems(self, text: bytes) -> tuple[Problem, ...]:
        """List the problems in the file's text."""
        # Imported here because it loads slower than static checks.
        from bot.features.teaching import ignore_file

        return ignore_file.check(text).problems


IGNORED_FINDINGS = IgnoredFindings()
