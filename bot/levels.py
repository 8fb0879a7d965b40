"""The words by which a finding is graded and a review is set up: of options, settings and values alike.

They stand apart so that the command line can tell its options without loading a value.
"""

from typing import Literal, get_args

Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # worst first
ReviewEffort = Literal["none", "low", "medium", "high"]  # how far a review goes; "none": by code alone
EFFORTS: tuple[ReviewEffort, ...] = get_args(ReviewEffort)  # least first
Strategy = Literal["auto", "direct", "cascade", "fanout", "rlm", "offline"]
