/// Sees the head of each request before anything else is done with it: may tell who sends it, or answer
/// it. Called once a request, on an event loop's thread: it must not block. The body of one that it
/// answers, or whose principal has no name, is not kept.
package typealias Gate = @Sendable (inout Request) -> Response?

/// Who sends a request, as a gate has found out.
package protocol Principal: AnyObject, Sendable {
    /// By what its requests are counted: the same for all of them, and for nobody else's. `nil` where it is
    /// not known who it is.
    var principalName: String? { get }
}
