"""The scheduler against a running cluster: `nominee run`."""
