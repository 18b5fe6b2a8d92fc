"""Subresources that are verbs of their own: each a function of the pod's key and what the client sent."""
