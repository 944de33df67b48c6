"""The page of architectures: masks, sizes, three readers of one task, and what a layer costs as sequences grow."""
