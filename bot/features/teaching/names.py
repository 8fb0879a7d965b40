"""Where the list of what is not reported is, and where somebody may take it to be."""

FILE = ".deeprepo/ignore.yml"
OTHER_NAMES = (".deeprepo/ignore.yaml", ".deeprepoignore")
