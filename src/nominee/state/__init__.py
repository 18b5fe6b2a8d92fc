"""The cluster as columns, with a single writer."""
