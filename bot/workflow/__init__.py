"""One job from its beginning to its end: what happens on GitHub around a review, a command, a merge queue, a farewell.

Every job can be cut off anywhere and begun again: paid calls are in the journal, what a command has come to is recorded, and
whatever it writes to GitHub carries a marker by which a second run knows it.

A workflow's step uses some of these modules without a server's server: none of those imports jobs or storage.
"""
