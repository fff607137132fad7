import DequeModule
import ReorderStore

/// A change in a sequence that is numbered without gaps.
protocol NumberedChange: Sendable {
    var number: Int { get }
    var byteCount: Int { get }
}

extension StoredChange: NumberedChange {
    var number: Int { version }
    var byteCount: Int { bytes.count }
}

extension JournalEntry: NumberedChange {
    var number: Int { position }
    var byteCount: Int { change.bytes.count }
}

/// The last changes of a list or of all lists, without gaps, in a limited amount of memory.
struct RecentChanges<Item: NumberedChange>: Sendable {
    private var changes: Deque<Item> = []
    private var byteCount = 0
    private let maximumBytes: Int

    /// - Parameter maximumBytes: the maximum size. The last change is always kept.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Appends a change, unless it is not newer than the last one. If changes are missing before
    /// it, removes all earlier changes.
    mutating func append(_ change: Item) {
        if let last = lastNumber, last + 1 != change.number {
            guard last < change.number else { return }
            removeAll()
        }
        changes.append(change)
        byteCount += change.byteCount
        while byteCount > maximumBytes, changes.count > 1, let first = changes.popFirst() {
            byteCount -= first.byteCount
        }
    }

    /// Removes all changes. A list that was deleted or created again hides its earlier changes: the store
    /// knows which.
    mutating func removeAll() {
        changes.removeAll()
        byteCount = 0
    }

    /// The number of the last change that is here; nil if none is here.
    var lastNumber: Int? { changes.last?.number }

    /// The changes after a number, oldest first, with at most `bytes` bytes, but at least one
    /// change. Empty if the next change is not here.
    func changes(after number: Int, bytes: Int) -> [Item] {
        guard let first = changes.first?.number, number + 1 >= first else { return [] }
        return changes.dropFirst(number + 1 - first).prefix(fitting: bytes)
    }
}

extension Collection where Element: NumberedChange {
    /// The first elements, with at most `bytes` bytes, but at least one element.
    func prefix(fitting bytes: Int) -> [Element] {
        var left = bytes
        var fitting: [Element] = []
        for change in self {
            guard fitting.isEmpty || change.byteCount <= left else { break }
            fitting.append(change)
            left -= change.byteCount
        }
        return fitting
    }
}
