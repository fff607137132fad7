import Synchronization

/// Streams that are woken together. Waking costs the same for any number of streams: each event loop is notified
/// once, and finds its own streams.
package final class StreamTopic: Sendable {
    let listeners = Mutex<[any Wakeable]>([])

    package init() {}

    /// Makes all streams of the topic call their sources. Thread-safe.
    ///
    /// Complexity: O(event loops). It costs almost nothing for a loop that has not handled the
    /// previous call yet.
    package func wake() {
        for listener in listeners.withLock({ $0 }) { listener.wake() }
    }

    /// Also wakes a listener that is not an event loop. The topic keeps it.
    package func add(_ listener: any Wakeable) {
        listeners.withLock { $0.append(listener) }
    }
}

/// Can be woken from any thread when more bytes are available.
package protocol Wakeable: AnyObject, Sendable {
    func wake()
}
