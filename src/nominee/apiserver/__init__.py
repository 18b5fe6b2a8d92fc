"""The Kubernetes API over a store: one module per idea, HTTP in `http` alone."""
