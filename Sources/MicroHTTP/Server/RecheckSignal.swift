import Synchronization

/// Makes event loops call the handlers of held responses again. A loop without held responses is not woken.
package final class RecheckSignal: Sendable {
    private struct Entry {
        weak var listener: (any RecheckListener)?
    }

    private let entries = Mutex<[Entry]>([])

    package init() {}

    /// From any thread. Complexity: O(event loops).
    package func fire() {
        for entry in entries.withLock({ $0 }) { entry.listener?.recheck() }
    }

    func add(_ listener: any RecheckListener) {
        entries.withLock { entries in
            entries.removeAll { $0.listener == nil }
            entries.append(Entry(listener: listener))
        }
    }
}

protocol RecheckListener: AnyObject, Sendable {
    /// Called on any thread. Must not block.
    func recheck()
}
