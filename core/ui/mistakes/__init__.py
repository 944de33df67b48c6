"""The page of common mistakes."""
