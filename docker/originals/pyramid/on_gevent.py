import os
import socket

if os.environ.get("MONKEY_PATCH"):
    from gevent.monkey import patch_all

    patch_all()

from gevent.pywsgi import WSGIServer
from hello import app


class NoDelay(WSGIServer):
    # What is set on the listener, every accepted connection has too.
    def init_socket(self):
        super().init_socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


server = NoDelay if os.environ.get("NODELAY") else WSGIServer
server((os.environ["HOST"], int(os.environ["PORT"])), app, backlog=1024, log=None).serve_forever()
