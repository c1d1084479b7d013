//! The response that every target gives to `GET /`.

/// The body.
pub const BODY: &str = "Hello World\n";

/// The value of `Content-Type`; a charset parameter may follow it where a framework adds one.
pub const CONTENT_TYPE: &str = "text/plain";
