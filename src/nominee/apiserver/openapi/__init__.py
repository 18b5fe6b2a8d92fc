"""The types and paths of the API as OpenAPI documents, for `kubectl explain` and whoever validates."""
