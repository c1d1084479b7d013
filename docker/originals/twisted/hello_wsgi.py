import os

from twisted.internet import reactor
from twisted.web.server import Site
from twisted.web.wsgi import WSGIResource


def hello(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "12")])
    return [b"Hello World\n"]


class Quiet(Site):
    def log(self, request):
        pass


threads = reactor.getThreadPool()
threads.adjustPoolsize(maxthreads=int(os.environ["WORKERS"]))
root = WSGIResource(reactor, threads, hello)
reactor.listenTCP(int(os.environ["PORT"]), Quiet(root), backlog=1024, interface=os.environ["HOST"])
reactor.run()
