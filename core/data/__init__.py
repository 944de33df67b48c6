"""Corpora, vocabularies and tasks: from text to batches, and from logits back to words."""
