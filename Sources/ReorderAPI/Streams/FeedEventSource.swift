import MicroHTTP
import ReorderJSON
import ReorderService
import ReorderStore

/// The source of one client's stream of the feed.
///
/// The stream knows the last position that it has sent. It requests the changes after this
/// position, from memory or from the store, and sends those of its lists. If they are no longer
/// stored, it sends the lists that have changed.
struct FeedEventSource: EventSource {
    private let service: ListService
    private let selection: FeedSelection
    private let tags: EntityTags
    private var place: FeedToken
    /// The last position that the client knows.
    private var sent: Int
    private var isGreeted = false
    private var page: StreamRead<FeedPage>?
    private var heads: StreamRead<FeedHeads>?
    /// The lists of which the last changes were hidden, because they are those of a former list. The memory can still have
    /// the next ones, up to the change that hides them.
    private var former: Set<String> = []

    private var pieces: PieceSizes { service.limits.pieces }

    init(_ service: ListService, _ selection: FeedSelection, from place: FeedToken) {
        self.service = service
        self.selection = selection
        self.place = place
        tags = EntityTags(epoch: service.epoch)
        sent = if case .at(let position) = place { position } else { 0 }
    }

    mutating func next(_ stream: any Wakeable) -> EventPiece {
        if !isGreeted {
            isGreeted = true
            return .bytes(hello())
        }
        switch place {
        case .lists(let from, let end, let list):
            return nextLists(from: from, end: end, after: list, stream)
        case .at(let position): return nextChanges(after: position, stream)
        }
    }

    func closingEvent() -> EventBytes? {
        EventBytes { $0.appendEvent("stopping", id: nil, data: placeData) }
    }

    private func hello() -> EventBytes {
        // For a position of another epoch, `hello` has no id. So the client keeps its event id until
        // it receives the lists.
        EventBytes { text in
            text += "retry: \(ListEventSource.retryMilliseconds)\n".utf8
            text.appendEvent("hello", id: place.text(tags), data: placeData)
        }
    }

    private var placeData: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("next")
        writer.stringOrNull(place.text(tags))
        writer.endObject()
        return writer.takeBytes()
    }

    // MARK: Changes

    /// Each turn of the loop advances the position, and it ends after `PieceSizes.feedIDInterval` changes.
    private mutating func nextChanges(
        after position: Int, _ stream: any Wakeable
    ) -> EventPiece {
        var position = position
        while true {
            if let page {
                switch page.result {
                case nil: return .nothing
                case .failure?: return .end
                case .success(.gap(let from, let end))?:
                    self.page = nil
                    // The change that ends this can be in the gap.
                    former = []
                    place = .lists(from: from, end: end, after: nil)
                    return nextLists(from: from, end: end, after: nil, stream)
                case .success(.entries(let entries, _, let end))?:
                    self.page = nil
                    // The news may have come during the read.
                    guard !entries.isEmpty || service.feed.hasChanges(after: position) else {
                        return .nothing
                    }
                    if let bytes = send(entries) { return .bytes(bytes) }
                    position = end
                }
            }
            switch service.feed.recent(after: position, bytes: pieces.streamBytes) {
            case .none: return .nothing
            case .entries(let entries):
                if let bytes = send(entries) { return .bytes(bytes) }
                position = entries.last?.position ?? position
            case .older:
                page = StreamRead(for: stream) {
                    service.feed.read(after: position, bytes: pieces.streamBytes, $0)
                }
            }
        }
    }

    /// Advances the position. Returns the events for the stream's lists; nil if there are none.
    private mutating func send(_ entries: [JournalEntry]) -> EventBytes? {
        guard let last = entries.last?.position else { return nil }
        place = .at(last)
        let wanted = entries.filter { shows($0) }
        guard !wanted.isEmpty || last - sent >= pieces.feedIDInterval else { return nil }
        sent = last
        let piece = ChangeFeed.Piece(
            positions: wanted.map(\.position), last: last,
            withoutOtherList: wanted.filter(selection.hidesOtherList).map(\.position))
        return service.feed.renderings.rendering(of: piece) {
            EventBytes { text in
                for entry in wanted {
                    let event = selection.event(entry, epoch: service.epoch)
                    text.appendEvent(
                        event.name, id: FeedToken.at(entry.position).text(tags), data: event.data)
                }
                if wanted.last?.position != last { text.appendID(FeedToken.at(last).text(tags)) }
            }
        }
    }

    private mutating func shows(_ entry: JournalEntry) -> Bool {
        if entry.isHidden {
            former.insert(entry.list)
        } else if !former.isEmpty, ChangeDocument.kind(ofJSON: entry.change.bytes) != nil {
            former.remove(entry.list)
        }
        return !former.contains(entry.list) && selection.contains(entry)
    }

    // MARK: Lists

    private mutating func nextLists(
        from: Int, end: Int, after list: String?, _ stream: any Wakeable
    ) -> EventPiece {
        let read =
            heads
            ?? StreamRead(for: stream) {
                service.feed.readHeads(
                    of: selection.ranges, after: list, changedFrom: from, limit: pieces.feedLists,
                    $0)
            }
        heads = read
        switch read.result {
        case nil: return .nothing
        case .failure?: return .end
        case .success(let found)?:
            heads = nil
            place = found.cursor.map { .lists(from: from, end: end, after: $0) } ?? .at(end)
            sent = end
            let id = place.text(tags)
            return .bytes(
                EventBytes { text in
                    for head in found.heads {
                        let event = FeedEvent(head, epoch: service.epoch)
                        text.appendEvent(event.name, id: nil, data: event.data)
                    }
                    // After all events, because they have no order that a client could resume from.
                    text.appendID(id)
                })
        }
    }
}
