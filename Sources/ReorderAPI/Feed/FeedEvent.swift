import MicroHTTP
import ReorderJSON
import ReorderStore

/// An event of the feed: a change of a list, or a list that the client must fetch again.
struct FeedEvent {
    /// `change`, `created`, `deleted` or `refetch`.
    var name: String
    private let list: String
    private let change: [UInt8]?
    private let version: Int
    private let epoch: String?

    init(_ entry: JournalEntry) {
        switch ChangeDocument.kind(ofJSON: entry.change.bytes) {
        case .created: name = "created"
        case .deleted: name = "deleted"
        case nil: name = "change"
        }
        list = entry.list
        change = entry.change.bytes
        version = entry.change.version
        epoch = nil
    }

    init(_ head: ListHead, epoch: String?) {
        name = head.exists ? "refetch" : "deleted"
        list = head.list
        change = nil
        version = head.version
        self.epoch = epoch
    }

    /// Writes the members of the event's data.
    func write(to writer: inout JSONWriter) {
        writer.name("list")
        writer.string(list)
        guard let change else {
            writer.name("version")
            writer.int(version)
            if let epoch {
                writer.name("epoch")
                writer.string(epoch)
            }
            return
        }
        writer.name("change")
        writer.raw(change)
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
