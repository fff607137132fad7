import Synchronization

/// An owner of requests that wait for commits.
package protocol CommitObserver: AnyObject, Sendable {
    /// Called after each commit, when waiting requests may be able to continue. Runs on the
    /// writer's thread, so it must be quick.
    func committed()
}

/// The observers of the writer. There are few, and they are long-lived.
final class CommitObservers: Sendable {
    private struct Entry {
        weak var observer: (any CommitObserver)?
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ observer: any CommitObserver) {
        entries.withLock { entries in
            entries.removeAll { $0.observer == nil }
            entries.append(Entry(observer: observer))
        }
    }

    func committed() {
        for entry in entries.withLock({ $0 }) { entry.observer?.committed() }
    }
}
