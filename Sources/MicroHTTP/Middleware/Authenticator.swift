/// The first middleware. It reads the head of a request, and sets the request's principal or
/// returns a response. It is called once for each request, on an event loop's thread, and must not
/// block. The request's body is discarded if it returns a response, or if the principal has no
/// name.
package typealias Authenticator = @Sendable (inout Request) -> Response?

/// The principal of a request, as set by the authenticator.
package protocol Principal: AnyObject, Sendable {
    /// Identifies the principal for limits. All requests of a principal have the same name, and no
    /// two principals share a name. nil for an anonymous principal.
    var principalName: String? { get }

    /// The principal's name for people, in the log. nil for an anonymous principal.
    var displayName: String? { get }
}
