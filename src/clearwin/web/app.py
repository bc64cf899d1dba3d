"""The routes of the page. Whatever takes work is a job; this process only receives, queues and shows."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Collection
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from clearwin import __version__
from clearwin.errors import ClearwinError, UnknownNameError
from clearwin.web.jobs import Job, Pool, Verb
from clearwin.web.openapi import description
from clearwin.web.refusals import (
    BusyError,
    Limits,
    NoSuchJobError,
    fault,
    in_words,
    is_lack_of_room,
    no_room,
    status_of,
)
from clearwin.web.safety import HEADERS, HOME, PICTURE_POLICY, Guard
from clearwin.web.settings import SETTINGS, form, is_yes
from clearwin.web.uploads import EXAMPLES, Uploads, receive

HERE = Path(str(files("clearwin"))) / "web"
SWEEP_SECONDS = 15.0
QUERY = ("wait", "watched")
# autoescape for every template: names and labels are text, never markup
TEMPLATES = Environment(
    loader=PackageLoader("clearwin.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def make_app(limits: Limits | None = None, hosts: Collection[str] = HOME) -> Starlette:
    """Return the page as an ASGI application."""
    chosen = limits or Limits()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.pool = pool = Pool(chosen)
        app.state.uploads = Uploads(chosen)
        sweeper = asyncio.create_task(_sweep(pool))
        try:
            yield
        finally:
            sweeper.cancel()
            await pool.close()

    routes = [
        Route("/", _page),
        Route("/openapi.json", _openapi),
        Route("/api/columns", _post, methods=["POST"], name="columns"),
        Route("/api/compare", _post, methods=["POST"], name="compare"),
        Route("/api/plan", _post, methods=["POST"], name="plan"),
        Route("/api/jobs/{id}", _job, methods=["GET", "DELETE"]),
        Route("/api/jobs/{id}/result", _result),
        Route("/api/jobs/{id}/thresholds", _thresholds),
        Route("/jobs/{id}/shown", _shown),
        Route("/jobs/{id}/report.html", _report),
        Route("/jobs/{id}/result.json", _download),
        Route("/jobs/{id}/pictures/{number:int}.svg", _picture),
        Route("/jobs/{id}/pictures/{number:int}-narrow.svg", _narrow_picture),
        Route("/examples/{name}.csv", _example),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]
    handlers: dict[Any, Any] = {
        ClearwinError: _refused,
        HTTPException: _not_found,
        OSError: _full_or_fault,
        Exception: _fault,
    }
    return Starlette(
        routes=routes, lifespan=lifespan, exception_handlers=handlers, middleware=[Middleware(Guard, hosts=hosts)]
    )


async def _sweep(pool: Pool) -> None:
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        pool.sweep()


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ClearwinError)
    words = in_words(error, {})
    headers = {"retry-after": "5"} if isinstance(error, BusyError) else {}
    if status_of(error) in (408, 413, 507):
        headers["connection"] = "close"  # the rest of the body is not read
    return JSONResponse({"error": words}, status_of(error), headers)


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {"what": f"{error.detail}.", "expected": "a path of /openapi.json", "next": ""}
    return JSONResponse({"error": words}, error.status_code, error.headers)


async def _full_or_fault(request: Request, error: Exception) -> Response:
    """Refuse what the disk has no room for; any other error of the system is a fault of clearwin."""
    if not is_lack_of_room(error):
        raise error
    return await _refused(request, no_room())


async def _fault(request: Request, error: Exception) -> Response:
    """Answer in the same form even where clearwin is at fault; the guard is not asked then, so the headers are set."""
    return JSONResponse({"error": fault(repr(error))}, 500, HEADERS)  # uvicorn logs the rest


def _pool(request: Request) -> Pool:
    pool: Pool = request.app.state.pool
    return pool


async def _page(request: Request) -> Response:
    limits = _pool(request).limits
    await _pool(request).processes.warm_up()  # a page that was opened will soon send a job
    told = {"version": __version__, "limits": limits, "examples": EXAMPLES, "form": form()}
    return HTMLResponse(TEMPLATES.get_template("page.html").render(told))


async def _openapi(request: Request) -> Response:
    return JSONResponse(description())


async def _post(request: Request) -> Response:
    """Take a job in, and wait for it unless asked not to."""
    pool = _pool(request)
    verb = cast(Verb, request.url.path.removeprefix("/api/"))
    _refuse_unknown_query(request)
    wait, watched = _flag(request, "wait", default=True), _flag(request, "watched", default=False)
    async with request.app.state.uploads.place() as upload:
        job = pool.reserve(verb, only_result=wait)
        try:
            await receive(request, job.folder, pool.limits, upload)
            pool.start(job)
        except BaseException:
            job.end("cancelled", 410)
            pool.forget(job)
            raise
    if not wait:
        job.asked = time.monotonic() if watched else None
        return JSONResponse(job.describe(), 202, {"location": f"/api/jobs/{job.id}"})
    await _until_over(request, pool, job)
    answer = _file(job, "columns.json" if verb == "columns" else "result.json")
    answer.background = BackgroundTask(pool.forget, job)  # nobody will fetch the answer again
    return answer


def _refuse_unknown_query(request: Request) -> None:
    """Refuse unknown parameters: a misspelt ?wait=false would wait, and a setting in the address would do nothing."""
    for name in request.query_params:
        if name not in QUERY:
            next = "send it in the body, as the other settings" if name in SETTINGS else ""
            raise UnknownNameError("query parameter", name, QUERY, next)


def _flag(request: Request, name: str, *, default: bool) -> bool:
    return is_yes(name, request.query_params.get(name) or str(default))


async def _until_over(request: Request, pool: Pool, job: Job) -> None:
    while not job.over.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(job.over.wait(), 1.0)
        if not job.over.is_set() and await request.is_disconnected():
            await pool.cancel(job)  # nobody waits for it any more


def _file(job: Job, name: str, kind: str = "application/json", **headers: str) -> Response:
    """Send what a finished job wrote, or say what happened to it."""
    if job.error is not None:
        return JSONResponse({"error": job.error}, job.status)
    path = job.folder / name
    if job.state != "done" or not path.exists():
        what = "The job has no such file." if job.state == "done" else "The job is not finished."
        raise NoSuchJobError(what, "a job that is done", f"GET /api/jobs/{job.id}")
    return FileResponse(path, media_type=kind, headers={name.replace("_", "-"): v for name, v in headers.items()})


async def _job(request: Request) -> Response:
    pool = _pool(request)
    job = pool.find(request.path_params["id"])
    if request.method == "DELETE":
        await pool.cancel(job)
    return JSONResponse(job.describe())


def _found(request: Request) -> Job:
    return _pool(request).find(request.path_params["id"])


async def _result(request: Request) -> Response:
    job = _found(request)
    return _file(job, "columns.json" if job.verb == "columns" else "result.json")


async def _thresholds(request: Request) -> Response:
    return _file(_found(request), "thresholds.json")


async def _download(request: Request) -> Response:
    return _file(_found(request), "result.json", content_disposition='attachment; filename="clearwin.json"')


async def _report(request: Request) -> Response:
    return _file(
        _found(request), "report.html", "text/html", content_disposition='attachment; filename="clearwin-report.html"'
    )


async def _picture(request: Request) -> Response:
    name = f"{request.path_params['number']}.svg"
    return _file(_found(request), name, "image/svg+xml", content_security_policy=PICTURE_POLICY)


async def _narrow_picture(request: Request) -> Response:
    name = f"{request.path_params['number']}-narrow.svg"
    return _file(_found(request), name, "image/svg+xml", content_security_policy=PICTURE_POLICY)


async def _shown(request: Request) -> Response:
    job = _found(request)
    if job.state != "done" or job.verb == "columns":
        return _file(job, "shown.json")
    told = {"job": job.id, **job.read("shown.json")}
    return HTMLResponse(TEMPLATES.get_template("result.html").render(told))


async def _example(request: Request) -> Response:
    name = request.path_params["name"]
    file = next((file for file, _ in EXAMPLES.values() if file == f"{name}.csv"), None)
    if file is None:
        raise NoSuchJobError("There is no such example.", "one of " + ", ".join(file for file, _ in EXAMPLES.values()))
    return FileResponse(HERE.parent / "data" / "shipped" / file, media_type="text/csv", filename=file)
