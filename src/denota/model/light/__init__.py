"""An encoder's scorer for answering only: arrays and no torch."""
