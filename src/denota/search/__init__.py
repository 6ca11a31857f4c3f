"""Search: the programs of a question ranked under a policy, and the candidates an update learns from."""
