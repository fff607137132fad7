import ReorderStore

/// A list's last durable version.
package struct ListPosition: Sendable, Equatable {
    /// 0 if the list never existed.
    package var version: Int
    /// Whether the list exists at that version. If not, that version deleted it.
    package var exists: Bool
}

/// The next events for a watcher.
package enum PendingUpdates: Sendable {
    case none
    /// The next changes, oldest first; never empty.
    case changes([StoredChange])
    /// The next changes are only in the stored history.
    case older
    /// The watcher has seen the change that deleted the list. No more events follow.
    case deleted
    /// No changes, but these notices.
    case notices([ListNotice])
}

/// A drag event for the watchers of a list. It is not stored.
package struct ListNotice: Sendable {
    /// The notice's sequence number in this process.
    package var number: Int
    /// JSON on one line.
    package var data: [UInt8]
}
