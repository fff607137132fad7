/// Runs a request.
package protocol RequestHost: Resumable {
    /// Runs the request from its beginning, and calls `decided` or `suspend` on its context.
    func run()
}

/// The host of a context before its own is set.
final class NoHost: RequestHost {
    static let shared = NoHost()
    func run() {}
    func resume() {}
}
