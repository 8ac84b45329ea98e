"""Commands turns, points and acts."""
