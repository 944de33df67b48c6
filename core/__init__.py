"""Attention Live: the engine that trains small transformers, and the face that shows them."""
