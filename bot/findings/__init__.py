"""What becomes of a finding: check its quotes, merge duplicates, rank, place. Models quote; code finds the line."""
