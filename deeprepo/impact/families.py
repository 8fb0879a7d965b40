"""Provide the languages with an installed grammar: one for each folder of `deeprepo/impact/languages`."""

from collections.abc import Mapping

from deeprepo.impact import table
from deeprepo.impact.family import Family

LANGUAGES: Mapping[str, Family] = {
    one.NAME: one for one in (Family(folder, row) for folder, row in table.folders().items()) if one.SUFFIXES
}
