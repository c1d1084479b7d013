//! An HTTP/1.1 server connection without I/O: bytes in, bytes out, and whether to go on.
