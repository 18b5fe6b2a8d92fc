"""Volumes: bound to claims, made for them, kept while they are in use."""
