import os
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


def hello(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "12")])
    return [b"Hello World\n"]


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


WSGIServer.request_queue_size = 1024
make_server(os.environ["HOST"], int(os.environ["PORT"]), hello, handler_class=Quiet).serve_forever()
