"""An organization's default settings: a settings file in the owner's `.deeprepo` repository.

For each setting, the repository's own value takes precedence. Lists that are empty by default (`ignore`,
`instructions`, `consumers`) combine the entries of both; `[]` leaves the organization's entries out. For
settings that the organization lists in `enforce`, the organization's value applies.
"""
