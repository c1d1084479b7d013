import SERVLETS.ServletException;
import SERVLETS.ServletRequest;
import SERVLETS.ServletResponse;
import SERVLETS.http.HttpServlet;
import java.io.IOException;
import org.jruby.embed.LocalContextScope;
import org.jruby.embed.ScriptingContainer;

/** Gives every request to the servlet that hello.rb makes. */
public class Ruby extends HttpServlet {
    private HttpServlet servlet;

    @Override
    public void init() throws ServletException {
        ScriptingContainer ruby = new ScriptingContainer(LocalContextScope.SINGLETON);
        servlet = (HttpServlet) ruby.runScriptlet(getClass().getResourceAsStream("/hello.rb"), "hello.rb");
        servlet.init(getServletConfig());
    }

    @Override
    public void service(ServletRequest request, ServletResponse response) throws ServletException, IOException {
        servlet.service(request, response);
    }
}
