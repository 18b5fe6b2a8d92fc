"""Custom resources: what a definition says, kinds made of it, and their coming and going."""
