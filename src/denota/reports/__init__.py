"""Tables and plots made from measured results."""
