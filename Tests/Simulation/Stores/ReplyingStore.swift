import ReorderStore
import StoreTesting

/// A store whose replies to reads of the feed take time, in which other threads run: commits happen between such a read and the
/// use of its result.
protocol ReplyingStore: ForwardingStore {
    var connection: StoreConnection { get }
}

extension ReplyingStore {
    func journal(after position: Int, limit: Int) throws(StoreError) -> [JournalEntry]? {
        let entries = try destination().journal(after: position, limit: limit)
        connection.reply()
        return entries
    }

    func lastPosition() throws(StoreError) -> Int {
        let position = try destination().lastPosition()
        connection.reply()
        return position
    }
}

extension StoreConnection {
    /// Lets other threads run while a reply is on its way.
    func reply() {
        let commits = medium.commitCount
        wait()
        if medium.commitCount > commits { medium.onLateReply() }
    }
}
