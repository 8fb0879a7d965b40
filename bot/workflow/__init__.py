"""The jobs that a server carries out: reviews, commands, answers to merge queues, and cleaning up.

Every job can be interrupted anywhere and run again. Paid calls are in the journal, a command's outcome is
recorded, and everything written to GitHub carries a marker by which a second run recognizes it.

The GitHub Actions step uses some of these modules without a server. Those modules import neither jobs nor
storage.
"""
