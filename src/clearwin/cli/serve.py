"""clearwin serve."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from clearwin.cli.command import Subcommand
from clearwin.cli.options import options

if TYPE_CHECKING:
    from socket import socket

    from uvicorn import Server


HOME = "127.0.0.1"
PORT = 8765
SERVER = ("h11", "python_multipart", "starlette", "uvicorn")  # what the extra `page` installs


@click.command(cls=Subcommand)
@options("serve")
def serve(host: str | None, port: int | None, open_browser: bool, max_upload_mb: int, workers: int) -> None:
    """Compare on a local page in the browser.

    Drop files, choose columns, see the verdict, slide the threshold. Only this machine can
    reach it unless --host says otherwise. Press Ctrl-C to stop it.
    """
    _refuse_without_a_server()
    import uvicorn

    from clearwin.web.app import make_app
    from clearwin.web.refusals import MIB, Limits
    from clearwin.web.safety import HOME as HOME_NAMES
    from clearwin.web.safety import connections_with, is_home

    address = host or HOME
    with contextlib.suppress(KeyboardInterrupt), _listening(address, port) as listener:
        number = listener.getsockname()[1]
        shown = "127.0.0.1" if address in ("0.0.0.0", "::") else f"[{address}]" if ":" in address else address
        url = f"http://{shown}:{number}/"
        if not is_home(address):
            click.echo(
                f"warning: anyone who can reach {address}:{number} can use this page. There is no password and no "
                "encryption: they can send\nfiles and start jobs, and the network between sees what they send.",
                err=True,
            )
        limits = Limits(upload=max_upload_mb * MIB, unpacked=8 * max_upload_mb * MIB, workers=workers)
        app = make_app(limits, (*HOME_NAMES, address))
        config = uvicorn.Config(
            app,
            http=connections_with(limits),
            log_level="warning",
            ws="none",
            timeout_graceful_shutdown=2,
            server_header=False,
            date_header=False,
        )
        server = uvicorn.Server(config)
        _end_properly(server)
        click.echo(f"clearwin is at {url} (press Ctrl-C to stop)")
        if open_browser:
            import threading
            import webbrowser

            threading.Timer(0.5, webbrowser.open, (url,)).start()
        server.run(sockets=[listener])


def _refuse_without_a_server() -> None:
    """Raise if the extra `page` is not installed."""
    from importlib.util import find_spec

    from clearwin.errors import OptionError

    lacking = [name for name in SERVER if find_spec(name) is None]
    if lacking:
        raise OptionError(
            f"The page needs {' and '.join(lacking)}, which {'is' if len(lacking) == 1 else 'are'} not installed.",
            "clearwin with its extra `page`",
            "in a checkout: pip install '.[page]'",
        )


def _end_properly(server: Server) -> None:
    """Handle Ctrl-C and a closed terminal from the start, because no upload may stay on the disk."""
    import signal

    signal.signal(signal.SIGINT, server.handle_exit)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup stays so
        signal.signal(signal.SIGHUP, server.handle_exit)


def _listening(address: str, port: int | None) -> socket:
    """Take the port that was asked for, or the usual one, or any free one."""
    import socket

    from clearwin.errors import OptionError

    kind = socket.AF_INET6 if ":" in address else socket.AF_INET
    wanted = [port] if port is not None else [PORT, 0]
    for number in wanted:
        listener = socket.socket(kind, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, number))
            listener.listen()  # a reader that opens the address at once waits a moment instead of being refused
        except OSError as error:
            listener.close()
            if number == wanted[-1]:
                what = f"{address}:{number} cannot be served: {error.strerror or error}."
                raise OptionError(what, "an address of this machine and a free port", "--port 0 for any") from None
        else:
            return listener
    raise AssertionError("unreachable")
