"""The paths of the lists of ignored findings, and paths that people use by mistake."""

FILE = ".deeprepo/ignore.yml"
LOCAL_FILE = "info/deeprepo-ignore.yml"  # in the git folder
OTHER_NAMES = (".deeprepo/ignore.yaml", ".deeprepoignore")
