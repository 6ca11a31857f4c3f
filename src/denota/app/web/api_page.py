"""The page that documents the REST API and lets one try it, made from `/openapi.json`.

It has no script or style within, so that the rules for our other pages hold for it too.
"""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse


def api_page() -> APIRouter:
    """Return the requests for the page; its scripts and styles are parts of the other page's."""
    pages = APIRouter(include_in_schema=False)
    html = (files("denota.app.web") / "page" / "api.html").read_text(encoding="utf-8")

    @pages.get("/docs")
    async def docs() -> HTMLResponse:
        return HTMLResponse(html)

    @pages.get("/redoc")
    async def moved() -> RedirectResponse:
        return RedirectResponse("/docs", 308)

    return pages
