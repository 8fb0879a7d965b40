"""The names of severities, efforts and other levels, for options, settings and values.

They have their own module so that the command line can list its options without loading any value.
"""

from typing import Literal, get_args

Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # worst first
ReviewEffort = Literal["none", "low", "medium", "high"]  # how far a review goes; "none": by code alone
EFFORTS: tuple[ReviewEffort, ...] = get_args(ReviewEffort)  # least first
Strategy = Literal["auto", "root", "parts", "rlm", "offline"]
