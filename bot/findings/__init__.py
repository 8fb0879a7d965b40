"""Check a finding's quotes, merge duplicates, rank and place findings.

Models only quote; code finds the line.
"""
