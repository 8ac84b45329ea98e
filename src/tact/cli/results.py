"""Commands gather and report."""
