"""The made world: talk drawn from the reference laws, written as each corpus would be."""
