"""The models, one a file, each readable from top to bottom."""
