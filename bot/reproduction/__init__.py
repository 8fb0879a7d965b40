"""Reproduce findings by running tests in an isolated sandbox.

Each run takes a `SandboxRun` and returns a `SandboxOutcome`. `execute` runs a command in a sandbox, `rig`
prepares the trees, and `runners` describes the test runners. `reproduce` decides what a review runs, and what
the results prove. `trying` implements `deeprepo run`.
"""
