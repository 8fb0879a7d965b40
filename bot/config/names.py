"""The settings files that deeprepo reads in a repository, and files that look like them."""

FILE = ".deeprepo.yml"
OTHER_NAMES = (".deeprepo.yaml", "deeprepo.yml", "deeprepo.yaml", ".github/deeprepo.yml", ".github/.deeprepo.yml")
TEMPLATES = tuple(f".deeprepo/templates/{name}.md.j2" for name in ("summary", "finding", "inline"))  # an owner's own
MOST_MUSTS = 10  # instructions that must hold, in one review
MOST_SENTENCE = 300  # characters of a learning
