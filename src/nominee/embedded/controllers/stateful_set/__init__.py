"""Stateful sets: pods with names and volumes of their own, one after the other.

Reproduces pkg/controller/statefulset, v1.37.
"""

from nominee.embedded.controllers.stateful_set.controller import StatefulSetController

__all__ = ["StatefulSetController"]
