"""Systems under test, from anchors to adapters of real models."""
