import jakarta.servlet.http.{HttpServlet, HttpServletRequest, HttpServletResponse}

class Hello extends HttpServlet {
  override def doGet(request: HttpServletRequest, response: HttpServletResponse): Unit = {
    val body = "Hello World\n".getBytes("US-ASCII")
    response.setContentType("text/plain")
    response.setContentLength(body.length)
    response.getOutputStream.write(body)
  }
}
