import os
import _socket

# Jython's sockets run on so many Netty threads, and with its own 10 they block each other at 10 connections.
_socket._NUM_THREADS = 256

from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


def hello(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "12")])
    return [b"Hello World\n"]


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


WSGIServer.request_queue_size = 1024
make_server(os.environ["HOST"], int(os.environ["PORT"]), hello, handler_class=Quiet).serve_forever()
