"""Evaluation: how far a language reaches, and how good predictions are."""
