/// Sees the head of each request first: sets its principal, or responds to it. Called once a request, on an event loop's
/// thread: it must not block. If it responds, or the principal has no name, the body is discarded.
package typealias Authenticator = @Sendable (inout Request) -> Response?

/// The principal of a request, as set by the authenticator.
package protocol Principal: AnyObject, Sendable {
    /// Identifies the principal for limits: the same for all its requests, and different from all other senders'. nil if
    /// the principal is not known.
    var principalName: String? { get }
}
