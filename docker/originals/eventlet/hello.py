import os

import eventlet
from eventlet import wsgi


def hello(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "12")])
    return [b"Hello World\n"]


listener = eventlet.listen((os.environ["HOST"], int(os.environ["PORT"])), backlog=1024)
wsgi.server(listener, hello, log_output=False)
