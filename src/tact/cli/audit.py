"""Commands why: where the numbers of an episode come from."""
