"""Learning: candidates to an intensity and a competing distribution, and from these to one update (Eq. 9)."""
