"""What pages are drawn with: the frame, forms from settings, the training panel and the attention panel."""
