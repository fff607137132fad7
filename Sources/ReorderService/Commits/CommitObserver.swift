import Synchronization

/// Something that has requests which wait for commits.
package protocol CommitObserver: AnyObject, Sendable {
    /// A commit has ended: requests that waited for it may go on. On the committing thread; it must be quick.
    func committed()
}

/// The observers of a committer: few, and there for long.
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
