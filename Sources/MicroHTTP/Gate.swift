/// Sees each request before anything else is done with it: may tell who sends it, or answer it. Called
/// once a request, on an event loop's thread: it must not block.
package typealias Gate = @Sendable (inout Request) -> Response?

/// Who sends a request, as a gate has found out.
package protocol RequestSender: AnyObject, Sendable {
    /// For logs and for counting requests; no secret. `nil` where it is not known.
    var senderName: String? { get }
}
