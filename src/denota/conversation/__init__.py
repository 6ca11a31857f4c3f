"""A conversation about a table: what a question means, how sure that is, and what was asked."""
