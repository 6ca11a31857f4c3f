"""Answers and conversations as files and data frames."""
