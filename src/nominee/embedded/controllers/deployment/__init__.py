"""Deployments: replica sets that replace one another.

Reproduces pkg/controller/deployment, v1.37.
"""

from nominee.embedded.controllers.deployment.controller import DeploymentController

__all__ = ["DeploymentController"]
