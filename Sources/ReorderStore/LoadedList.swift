/// A list as loaded from a store.
package struct LoadedList: Sendable, Equatable {
    /// The list's last version.
    package var version: Int

    /// The content at that version; nil if the list is deleted.
    package var content: Content?

    /// A snapshot and the changes after it, which together give the list at its last version.
    package struct Content: Sendable, Equatable {
        package var snapshot: [UInt8]
        package var snapshotVersion: Int
        /// Versions `snapshotVersion + 1` to the last one, without gaps.
        package var changes: [StoredChange]

        package init(snapshot: [UInt8], snapshotVersion: Int, changes: [StoredChange]) {
            self.snapshot = snapshot
            self.snapshotVersion = snapshotVersion
            self.changes = changes
        }
    }

    package init(version: Int, content: Content?) {
        self.version = version
        self.content = content
    }
}

/// The whole list at some version.
package struct StoredSnapshot: Sendable, Equatable {
    package var version: Int
    package var bytes: [UInt8]

    package init(version: Int, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }
}

/// One change in a list's journal.
package struct StoredChange: Sendable, Equatable {
    package var version: Int
    package var bytes: [UInt8]

    package init(version: Int, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }
}

/// A list in the index of all lists.
package struct IndexedList: Sendable, Equatable {
    package var id: String
    package var title: String
    package var version: Int
    /// The number of tasks, including hidden ones.
    package var count: Int
    /// The number of top-level tasks that are not done; nil if the list was last changed by a program
    /// that did not store it.
    package var open: Int?

    package init(id: String, title: String, version: Int, count: Int, open: Int?) {
        self.id = id
        self.title = title
        self.version = version
        self.count = count
        self.open = open
    }
}
