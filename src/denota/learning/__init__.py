"""Learning: from candidates to w and q, and from these to one update (Eq. 9)."""
