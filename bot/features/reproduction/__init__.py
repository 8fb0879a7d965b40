"""Code of a repository, run where it reaches nothing, to show whether a finding is true.

One value in (`SandboxRun`), one out (`SandboxOutcome`): `execute` knows the sandboxes, `rig` the trees, `runners` the test runners. `reproduce` decides
what is run for a review, and what it proves; `trying` is what `deeprepo run` shows an owner.
"""
