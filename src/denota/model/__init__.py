"""The model: a question, its table and its context to scores for the axes of the space."""
