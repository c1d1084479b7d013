using System;
using System.Net;
using System.Text;

class Hello
{
    static readonly byte[] Body = Encoding.ASCII.GetBytes("Hello World\n");
    static readonly HttpListener Listener = new HttpListener();

    static void Main()
    {
        Listener.Prefixes.Add("http://*:" + Environment.GetEnvironmentVariable("PORT") + "/");
        Listener.Start();
        Listener.BeginGetContext(Answer, null);
        System.Threading.Thread.Sleep(System.Threading.Timeout.Infinite);
    }

    static void Answer(IAsyncResult result)
    {
        var context = Listener.EndGetContext(result);
        Listener.BeginGetContext(Answer, null);
        context.Response.ContentType = "text/plain";
        context.Response.ContentLength64 = Body.Length;
        context.Response.OutputStream.Write(Body, 0, Body.Length);
        context.Response.Close();
    }
}
