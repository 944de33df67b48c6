"""A real Chromium drives the real app over a real server."""
