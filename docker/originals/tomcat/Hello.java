import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

public class Hello extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        byte[] body = "Hello World\n".getBytes("US-ASCII");
        response.setContentType("text/plain");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
