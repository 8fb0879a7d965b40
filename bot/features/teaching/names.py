"""Where the list of what is not reported is, and where somebody may take it to be."""

FILE = ".deeprepo/ignore.yml"
LOCAL_FILE = "info/deeprepo-ignore.yml"  # in the git folder
OTHER_NAMES = (".deeprepo/ignore.yaml", ".deeprepoignore")
