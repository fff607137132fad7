import DequeModule
import ReorderStore

/// The last changes of a list, without gaps, in a limited amount of memory.
struct RecentChanges: Sendable {
    private var changes: Deque<StoredChange> = []
    private var byteCount = 0

    /// The maximum size in bytes for each watched list. The last change is always kept.
    static let maximumBytes = 64 << 10

    /// Appends a change, unless it is not newer than the last one. If versions are missing before
    /// it, removes all earlier changes.
    mutating func append(_ change: StoredChange) {
        if let last = changes.last, last.version + 1 != change.version {
            guard last.version < change.version else { return }
            removeAll()
        }
        changes.append(change)
        byteCount += change.bytes.count
        while byteCount > Self.maximumBytes, changes.count > 1, let first = changes.popFirst() {
            byteCount -= first.bytes.count
        }
    }

    /// Removes all changes. A list that was deleted or created again hides its earlier changes: the store
    /// knows which.
    mutating func removeAll() {
        changes.removeAll()
        byteCount = 0
    }

    /// The version after the last change that is here; nil if none is here.
    var lastVersion: Int? { changes.last?.version }

    /// The changes after a version, oldest first, with at most `bytes` bytes, but at least one
    /// change. Empty if the next change is not here.
    func changes(after version: Int, bytes: Int) -> [StoredChange] {
        guard let first = changes.first?.version, version + 1 >= first else { return [] }
        return changes.dropFirst(version + 1 - first).prefix(fitting: bytes)
    }
}

extension Collection<StoredChange> {
    /// The first elements, with at most `bytes` bytes, but at least one element.
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
