import os

import cherrypy


class Hello(object):
    def index(self):
        cherrypy.response.headers["Content-Type"] = "text/plain"
        return "Hello World\n"

    index.exposed = True


cherrypy.config.update(
    {
        "environment": "production",
        "server.socket_host": os.environ["HOST"],
        "server.socket_port": int(os.environ["PORT"]),
        "server.socket_queue_size": 1024,
        "server.thread_pool": int(os.environ["WORKERS"]),
        "log.screen": False,
        "tools.encode.on": False,
    }
)
cherrypy.quickstart(Hello())
