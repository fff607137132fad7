import DequeModule
import ReorderStore

/// A list's last changes, as the journal has them: bounded, and without gaps.
struct RecentChanges: Sendable {
    private var changes: Deque<StoredChange> = []
    private var byteCount = 0

    /// Of each list that is watched at most so much is kept, but always the last change.
    static let maximumBytes = 64 << 10

    /// One that is here already, or older, stays out.
    mutating func append(_ change: StoredChange) {
        if let last = changes.last, last.version + 1 != change.version {
            guard last.version < change.version else { return }
            changes.removeAll()
            byteCount = 0
        }
        changes.append(change)
        byteCount += change.bytes.count
        while byteCount > Self.maximumBytes, changes.count > 1, let first = changes.popFirst() {
            byteCount -= first.bytes.count
        }
    }

    /// The changes after a version, oldest first, as many as fit `bytes`, but at least one; none
    /// where the next one is not here.
    func changes(after version: Int, bytes: Int) -> [StoredChange] {
        guard let first = changes.first?.version, version + 1 >= first else { return [] }
        return changes.dropFirst(version + 1 - first).prefix(fitting: bytes)
    }
}

extension Collection<StoredChange> {
    /// As many of the first ones as have so many bytes together, but at least one.
    func prefix(fitting bytes: Int) -> [StoredChange] {
        var left = bytes
        var fitting: [StoredChange] = []
        for change in self {
            guard fitting.isEmpty || change.bytes.count <= left else { break }
            fitting.append(change)
            left -= change.bytes.count
        }
        return fitting
    }
}
