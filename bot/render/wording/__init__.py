"""Turn what `deeprepo.impact` finds in schemas, settings and data files into findings."""
