import com.sun.net.httpserver.{HttpExchange, HttpHandler, HttpServer}
import java.net.InetSocketAddress
import java.util.concurrent.Executors

object Hello extends HttpHandler {
  private val body = "Hello World\n".getBytes("US-ASCII")

  override def handle(exchange: HttpExchange): Unit = {
    exchange.getResponseHeaders.set("Content-Type", "text/plain")
    exchange.sendResponseHeaders(200, body.length)
    exchange.getResponseBody.write(body)
    exchange.close()
  }

  def main(args: Array[String]): Unit = {
    val address = new InetSocketAddress(sys.env("HOST"), sys.env("PORT").toInt)
    val server = HttpServer.create(address, 1024)
    server.createContext("/", this)
    server.setExecutor(Executors.newFixedThreadPool(sys.env("WORKERS").toInt))
    server.start()
  }
}
