"""Using a model: looking into it, letting it write, keeping it in a file."""
