import ReorderStore

/// Where a list stands: its last durable version.
package struct ListPosition: Sendable, Equatable {
    /// 0 where there never was such a list.
    package var version: Int
    /// Whether the list exists at that version; where not, it was deleted by it.
    package var exists: Bool
}

/// What a watcher has not seen yet.
package enum ListNews: Sendable {
    case none
    /// The next changes, oldest first, at least one.
    case changes([StoredChange])
    /// There are changes, but the next one is in the history only.
    case older
    /// Nothing more comes: the watcher has seen the change that deleted the list.
    case deleted
    /// There is no change; these were announced.
    case notices([ListNotice])
}

/// Something of the moment that the watchers of a list are told, and that is kept nowhere.
package struct ListNotice: Sendable {
    /// In the order of announcing, in this process.
    package var number: Int
    /// What kind of event it is.
    package var event: String
    /// JSON on one line.
    package var data: [UInt8]
}
