"""Large twins: a real pull request with one small change added to it, which breaks a file that the pull request does not touch.

`pieces/` has the small things: the code that the pull request changes, the code elsewhere that its change breaks (and a version that
takes both), often code between the two, and code beside them that looks broken and is not. All of it was written for this project.
`hosts` finds the pull requests, `mate` writes a piece into one.
"""
