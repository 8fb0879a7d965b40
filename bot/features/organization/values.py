"""An organization's settings file and the settings in it."""

from dataclasses import dataclass

from bot.config.defaults import FILE
from bot.values.shared_file import SettingsLayer, SharedFile, UnusableFile


@dataclass(frozen=True, slots=True)
class OrganizationFile(SharedFile):
    """The settings file in an owner's `.deeprepo` repository.

    `is_shown` says whether everybody who can see the review may also see this file. `problem` says why the
    file could not be read.
    """

    is_shown: bool = True
    problem: str = ""

    def layer(self) -> SettingsLayer:
        """Parse the file. A file that may not be shown does not apply, so that no message can quote it."""
        source = f"{FILE} of {self.repository}"
        if self.problem:
            unread = (f"{source} is ignored: {self.problem}.",)
            return SettingsLayer(source, warnings=unread, doubts=unread)
        if not self.is_shown:
            why = f"{source} is private, but this repository is public, so it does not apply here"
            return SettingsLayer(
                source, warnings=(f"{why}. Put settings for public repositories into a public repository.",)
            )
        from bot.config.defaults import key_in_file
        from bot.config.repository import is_like_threshold, read

        if isinstance(self.text, UnusableFile):
            unusable = (f"{source}: {self.text.why}, so nothing in it applies",)
            return SettingsLayer(source, warnings=unusable, doubts=unusable)
        file = read(self.text or b"", source)
        enforced = dict.fromkeys(file.enforced)
        names_by_key = {
            key: {name for name in file.values if f"{key_in_file(name)}.".startswith(f"{key}.")} for key in enforced
        }
        unset = {
            key: f"{source}: enforce: {key} is not set in this file, so it is not enforced"
            for key, names in names_by_key.items()
            if not names
        }
        doubted = (sentence for key, sentence in unset.items() if is_like_threshold(key))
        warnings, doubts = (*file.warnings, *unset.values()), (*file.doubts, *doubted)
        return SettingsLayer(source, file.values, frozenset().union(*names_by_key.values()), warnings, doubts)
