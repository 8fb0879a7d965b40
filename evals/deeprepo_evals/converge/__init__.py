"""`deeprepo eval converge`: real pull requests of several pushes, an author who mends what was said, and how soon nothing more is said."""
