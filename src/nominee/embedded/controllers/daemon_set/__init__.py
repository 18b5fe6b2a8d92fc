"""Daemon sets: a pod on every node that will have it.

Reproduces pkg/controller/daemon, v1.37.
"""

from nominee.embedded.controllers.daemon_set.controller import DaemonSetController

__all__ = ["DaemonSetController"]
