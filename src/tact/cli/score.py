"""Commands respond and score."""
