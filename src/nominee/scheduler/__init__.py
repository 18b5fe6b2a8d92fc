"""The scheduling cycle, the binding cycle and the failure path."""
