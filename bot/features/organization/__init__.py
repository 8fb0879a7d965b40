"""The defaults of an organization: a file of the same form in the owner's `.deeprepo` repository, below each repository's own.

Setting by setting, the repository's own value is the stronger one. A list that is empty unless somebody writes it (`ignore`,
`instructions`, `consumers`) has the entries of both; `[]` leaves the organization's out. Of what the
organization names in `enforce` its own value holds.
"""
