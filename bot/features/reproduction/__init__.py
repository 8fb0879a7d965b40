"""Run a repository's code in an isolated sandbox, to show whether a finding is true.

Each run takes a `SandboxRun` and returns a `SandboxOutcome`. `execute` runs the sandboxes, `rig` prepares the
trees, and `runners` knows the test runners. `reproduce` decides what a review runs and what that proves.
`trying` implements `deeprepo run`.
"""
