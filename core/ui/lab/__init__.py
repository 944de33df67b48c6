"""The attention lab: which models it can open, what its link says, and its page."""
