/// A change of any list, and its position in the store's journal.
package struct JournalEntry: Sendable, Equatable {
    package var position: Int
    package var list: String
    /// Without bytes if it is hidden: see `ListStore`.
    package var change: StoredChange

    /// Whether the change can't be read. It has no bytes then.
    package var isUnreadable = false

    package var isHidden: Bool { change.bytes.isEmpty && !isUnreadable }

    package init(
        position: Int, list: String, change: StoredChange, isUnreadable: Bool = false
    ) {
        self.position = position
        self.list = list
        self.change = change
        self.isUnreadable = isUnreadable
    }
}

/// The last change of a list, which may have deleted it.
package struct ListHead: Sendable, Equatable {
    package var list: String
    package var version: Int
    package var exists: Bool
    /// The position of the last change; 0 if it was stored before changes had positions.
    package var position: Int

    package init(list: String, version: Int, exists: Bool, position: Int) {
        self.list = list
        self.version = version
        self.exists = exists
        self.position = position
    }
}

extension [JournalEntry] {
    /// The result of `ListStore.journal`: the entries up to the first gap. A gap means that changes
    /// were pruned.
    ///
    /// - Parameters:
    ///   - position: the position that was asked for.
    ///   - last: the position of the journal's last change.
    package func withoutGap(after position: Int, last: Int) -> [JournalEntry]? {
        guard let first else { return position == last ? [] : nil }
        guard first.position == position + 1 else { return nil }
        let count = enumerated().first { $1.position != first.position + $0 }?.offset
        return count.map { Array(prefix($0)) } ?? self
    }
}
