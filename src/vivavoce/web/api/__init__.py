"""The interface for machines: JSON over HTTP, described by OpenAPI, under `/api/v1`."""

from vivavoce.web.api.routes import router

__all__ = ["router"]
