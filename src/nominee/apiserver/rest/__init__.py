"""The verbs of the API over a store, without HTTP."""

from nominee.apiserver.rest.options import DeleteOptions, Deletion
from nominee.apiserver.rest.rest import Rest
from nominee.apiserver.rest.rules import Rules, Writer

__all__ = ["DeleteOptions", "Deletion", "Rest", "Rules", "Writer"]
