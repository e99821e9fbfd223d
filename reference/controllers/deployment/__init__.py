"""The Deployment controller, one module for each file of upstream's."""

from reference.controllers.deployment.controller import DeploymentController, DeploymentSync

__all__ = ["DeploymentController", "DeploymentSync"]
