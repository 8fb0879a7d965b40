"""Contain one folder for each language; README.md describes how to add one."""
