"""Why a job of CI failed: the first real error of its log, and the changed line that it comes from. Pure: the log is a stranger's text."""
