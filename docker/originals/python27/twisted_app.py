import os

from twisted.internet import reactor
from twisted.web.resource import Resource
from twisted.web.server import Site


class Hello(Resource):
    def render_GET(self, request):
        request.setHeader("Content-Type", "text/plain")
        return "Hello World\n"


class Quiet(Site):
    def log(self, request):
        pass


root = Resource()
root.putChild("", Hello())
reactor.listenTCP(int(os.environ["PORT"]), Quiet(root), backlog=1024, interface=os.environ["HOST"])
reactor.run()
