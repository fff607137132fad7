import MicroHTTP
import ReorderJSON
import ReorderStore

/// An event of the feed: a change of a list, or a list that the client must fetch again.
struct FeedEvent {
    /// `change`, `created`, `deleted` or `refetch`.
    var name: String
    private let list: String
    private let content: Content

    private enum Content {
        case change([UInt8])
        /// The list's version, and the store's epoch.
        case place(version: Int, epoch: String)
    }

    init(_ entry: JournalEntry) {
        switch ChangeDocument.kind(ofJSON: entry.change.bytes) {
        case .created: name = "created"
        case .deleted: name = "deleted"
        case nil: name = "change"
        }
        list = entry.list
        content = .change(entry.change.bytes)
    }

    init(_ head: ListHead, epoch: String) {
        self.init(refetch: head.list, at: head.version, epoch: epoch)
        if !head.exists { name = "deleted" }
    }

    init(refetch list: String, at version: Int, epoch: String) {
        name = "refetch"
        self.list = list
        content = .place(version: version, epoch: epoch)
    }

    /// Writes the members of the event's data.
    func write(to writer: inout JSONWriter) {
        writer.name("list")
        writer.string(list)
        switch content {
        case .change(let change):
            writer.name("change")
            writer.raw(change)
        case .place(let version, let epoch):
            writer.name("version")
            writer.int(version)
            writer.name("epoch")
            writer.string(epoch)
        }
    }

    /// The event's data.
    var data: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        write(to: &writer)
        writer.endObject()
        return writer.takeBytes()
    }
}
