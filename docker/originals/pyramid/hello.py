from pyramid.config import Configurator
from pyramid.response import Response


def hello(request):
    return Response("Hello World\n", content_type="text/plain")


with Configurator() as config:
    config.add_route("hello", "/", request_method=("GET", "HEAD"))
    config.add_view(hello, route_name="hello")
    app = config.make_wsgi_app()
