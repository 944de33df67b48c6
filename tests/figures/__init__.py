"""Figures: pure functions, checked by their laws."""
