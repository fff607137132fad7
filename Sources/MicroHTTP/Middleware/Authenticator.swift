/// The first middleware. It reads the head of a request, and sets the request's principal or
/// returns a response. It is called once for each request, on an event loop's thread, and must not
/// block. The request's body is discarded if it returns a response, or if the principal has no
/// name.
package typealias Authenticator = @Sendable (inout Request) -> Response?
