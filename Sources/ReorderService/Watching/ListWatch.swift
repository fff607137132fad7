import ReorderStore

/// Someone's look at a list, until it is released.
package final class ListWatch: Sendable {
    private let channel: ListChannel

    init(_ channel: ListChannel, _ observer: any Resumable) {
        self.channel = channel
        channel.add(self, observer)
    }

    deinit { channel.remove(self) }

    package var list: String { channel.list }

    /// Where the list stands as far as it is known: version 0 before `ListService.position` has told.
    package var position: ListPosition { channel.position }

    /// What was announced last: those after it are new to whoever begins now.
    package var lastNotice: Int { channel.lastNotice }

    /// What is new to someone who has seen a version, and the notices up to a number.
    ///
    /// Changes come before notices. Complexity: O(what is given).
    ///
    /// - Parameter bytes: as many changes as have so many bytes together, but at least one.
    package func news(after version: Int, notice: Int, bytes: Int) -> ListNews {
        channel.news(after: version, notice: notice, bytes: bytes)
    }
}
