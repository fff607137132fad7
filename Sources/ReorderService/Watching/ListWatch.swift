import ReorderStore

/// A watch on a list. It ends when it is released.
package final class ListWatch: Sendable {
    private let channel: ListChannel

    init(_ channel: ListChannel, _ onNews: @escaping @Sendable () -> Void) {
        self.channel = channel
        channel.add(self, onNews)
    }

    deinit { channel.remove(self) }

    package var list: String { channel.list }

    /// The list's last known version: 0 before `ListService.position` was called.
    package var position: ListPosition { channel.position }

    /// The number of the latest notice. A new watcher receives the notices after it.
    package var lastNotice: Int { channel.lastNotice }

    /// Returns the changes after a version. Without such changes, returns the notices after a
    /// number.
    ///
    /// Complexity: O(size of the result).
    ///
    /// - Parameter bytes: the maximum size of the changes, unless the first change alone is larger.
    package func pendingUpdates(after version: Int, notice: Int, bytes: Int) -> PendingUpdates {
        channel.pendingUpdates(after: version, notice: notice, bytes: bytes)
    }
}
