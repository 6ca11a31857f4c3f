"""Search: a question's programs ranked under a policy, and the candidates of an update."""
