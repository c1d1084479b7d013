# The servlet; install says where this server has its interface, which is SERVLETS here.
class Hello < Java::SERVLETS.http.HttpServlet
  BODY = "Hello World\n".to_java_bytes

  def doGet(request, response)
    response.content_type = 'text/plain'
    response.content_length = BODY.length
    response.output_stream.write(BODY)
  end
end

Hello.new
