import os
import socket

if os.environ.get("MONKEY_PATCH"):
    from gevent.monkey import patch_all

    patch_all()

from gevent.pywsgi import WSGIServer


def hello(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "12")])
    return [b"Hello World\n"]


class NoDelay(WSGIServer):
    # What is set on the listener, every accepted connection has too.
    def init_socket(self):
        super().init_socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


server = NoDelay if os.environ.get("NODELAY") else WSGIServer
log = "default" if os.environ.get("ACCESS_LOG") else None
server((os.environ["HOST"], int(os.environ["PORT"])), hello, backlog=1024, log=log).serve_forever()
