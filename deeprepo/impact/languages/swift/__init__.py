"""Support Swift, whose files are searched for references only, since no import names a file."""

from deeprepo.impact.language import Language


class Swift(Language, frozen=True):
    """Swift."""

    ordered_arguments = True
    shared_imports = r"^\s*@_exported\s+import\s"
