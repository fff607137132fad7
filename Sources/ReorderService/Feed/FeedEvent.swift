import ReorderJSON
import ReorderStore

/// An event of the feed: a change of a list, or a list that the client must fetch again.
package struct FeedEvent: Sendable {
    /// `change`, `created`, `deleted` or `refetch`.
    package private(set) var name: String
    private let list: String
    private let content: Content

    private enum Content: Sendable {
        case change([UInt8])
        /// The list's version, and the store's epoch.
        case place(version: Int, epoch: String)
    }

    /// The maximum size of a change in an event. Instead of a larger one, clients get `refetch`: all
    /// streams of the server would keep it in memory, and rendering it would delay other requests.
    package static let maximumChangeBytes = 1 << 20

    /// The event of a change, or of a list to fetch if the change is too large.
    ///
    /// - Parameters:
    ///   - epoch: the store's epoch.
    ///   - isNamed: whether the event may name another list, to or from which the change moves
    ///     tasks; nil if it may name all.
    package init(
        _ entry: JournalEntry, epoch: String, naming isNamed: ((_ list: String) -> Bool)?
    ) {
        guard entry.change.bytes.count <= Self.maximumChangeBytes, !entry.isUnreadable else {
            self.init(refetch: entry.list, at: entry.change.version, epoch: epoch)
            return
        }
        var entry = entry
        if let isNamed {
            entry.change.bytes = ChangeDocument.json(entry.change.bytes, showing: isNamed)
        }
        self.init(entry)
    }

    private init(_ entry: JournalEntry) {
        switch ChangeDocument.kind(ofJSON: entry.change.bytes) {
        case .created: name = "created"
        case .deleted: name = "deleted"
        case nil: name = "change"
        }
        list = entry.list
        content = .change(entry.change.bytes)
    }

    package init(_ head: ListHead, epoch: String) {
        self.init(refetch: head.list, at: head.version, epoch: epoch)
        if !head.exists { name = "deleted" }
    }

    private init(refetch list: String, at version: Int, epoch: String) {
        name = "refetch"
        self.list = list
        content = .place(version: version, epoch: epoch)
    }

    /// Writes the members of the event's data.
    package func write(to writer: inout JSONWriter) {
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
    package var data: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        write(to: &writer)
        writer.endObject()
        return writer.takeBytes()
    }

    /// The event's name and data, as in a page of the feed.
    package func writeObject(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("event")
        writer.string(name)
        write(to: &writer)
        writer.endObject()
    }
}
