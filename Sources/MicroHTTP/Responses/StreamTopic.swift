/// Has news for any number of streams. Each event loop watches it once, for all of its streams. So news costs the same
/// for any number of streams.
package protocol StreamTopic: AnyObject, Sendable {
    /// Ends when it is released.
    associatedtype Watch: Sendable

    /// - Parameter onNews: called after all news from now on, on any thread.
    func watch(onNews: @escaping @Sendable () -> Void) -> Watch
}

/// Can be woken from any thread when more bytes are available.
package protocol Wakeable: AnyObject, Sendable {
    func wake()
}
