import MicroHTTP
import ReorderJSON
import ReorderService
import ReorderStore

/// The source of one client's event stream.
///
/// The stream knows the last version that it has sent. It requests the changes after this version,
/// from memory or from the stored history. So it misses and repeats no change when it switches
/// between them, and a slow client delays only its own stream.
struct ListEventSource: EventSource {
    private let service: ListService
    private let channel: ListChannel
    private let tags: EntityTags
    /// The last version and the last notice that were sent.
    private var version: Int
    private var notice: Int
    private var greeting: EventBytes?
    /// The drags that were live when the stream began, the latest first.
    private var ongoingDrags: [[UInt8]]
    private var hasSentDeletion = false
    private var page: StreamRead<[StoredChange]?>?

    /// A stream has at most one piece in memory.
    private var pieceBytes: Int { service.limits.pieces.streamBytes }
    /// The delay in milliseconds after which a client reconnects if its stream broke.
    static let retryMilliseconds = 2_000

    /// - Parameters:
    ///   - since: the version that the client has; nil sends only new events.
    ///   - first: the version after which the client may see changes.
    ///   - author: the author of the client's changes; nil if it is unknown.
    init(
        _ service: ListService, _ channel: ListChannel, since: Int?, after first: Int,
        author: String?
    ) {
        self.service = service
        self.channel = channel
        let position = channel.position
        version = since ?? position.version
        let drags = service.ongoingDrags(channel)
        ongoingDrags = drags.events.reversed()
        notice = drags.lastNotice
        // The client's version is from another epoch, so it is not in this list's history, or from before
        // the client's link was made.
        if version > position.version || version < min(first, position.version) {
            page = StreamRead(.success(nil))
        }
        tags = EntityTags(epoch: service.epoch)
        // For a version of another epoch, `hello` has no id. So the client keeps its event id until
        // it receives `refetch`.
        let start = version == .max ? nil : tags.token(version)
        let place = Self.place(
            position.version, of: channel.list, in: service.epoch, author: author)
        greeting = EventBytes { text in
            text += "retry: \(Self.retryMilliseconds)\n".utf8
            text.appendEvent("hello", id: start, data: place)
        }
    }

    mutating func next(_ stream: any Wakeable) -> EventPiece {
        if let greeting {
            self.greeting = nil
            return .bytes(greeting)
        }
        if let drag = ongoingDrags.popLast() {
            return .bytes(
                EventBytes { $0.appendEvent(ListService.dragEvent, id: nil, data: drag) })
        }
        if let page { return next(from: page) }
        switch channel.pendingUpdates(after: version, notice: notice, bytes: pieceBytes) {
        case .changes(let changes): return send(changes)
        case .older:
            let page = StreamRead(for: stream) {
                service.changes(
                    of: channel.list, after: version, limit: .max, bytes: pieceBytes, $0)
            }
            self.page = page
            return next(from: page)
        case .notices(let notices):
            notice = notices.last?.number ?? notice
            return .bytes(
                EventBytes { text in
                    for notice in notices {
                        text.appendEvent(ListService.dragEvent, id: nil, data: notice.data)
                    }
                })
        case .none: return .nothing
        case .deleted:
            guard !hasSentDeletion else { return .end }
            hasSentDeletion = true
            return .bytes(event("deleted", id: version))
        }
    }

    func closingEvent() -> EventBytes? { event("stopping", id: nil) }

    private mutating func next(from page: StreamRead<[StoredChange]?>) -> EventPiece {
        switch page.result {
        case nil: return .nothing
        case .failure?, .success([])?: return .end
        case .success(let changes?)?:
            self.page = nil
            return send(changes)
        // A change that the stream needs is no longer stored.
        case .success(nil)?:
            self.page = nil
            version = channel.position.version
            return .bytes(event("refetch", id: version))
        }
    }

    private mutating func send(_ changes: [StoredChange]) -> EventPiece {
        version = changes.last?.version ?? version
        if changes.hasOversizedChange { return .bytes(event("refetch", id: version)) }
        let first = changes.first?.version ?? version
        return .bytes(
            channel.renderings.rendering(of: first...version) {
                EventBytes { text in
                    for change in changes {
                        text.appendEvent(
                            "change", id: tags.token(change.version), data: change.bytes)
                    }
                }
            })
    }

    private func event(_ name: String, id: Int?) -> EventBytes {
        EventBytes { text in
            text.appendEvent(
                name, id: id.map(tags.token),
                data: Self.place(version, of: channel.list, in: service.epoch))
        }
    }

    private static func place(
        _ version: Int, of list: String, in epoch: String, author: String? = nil
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("list")
        writer.string(list)
        writer.name("version")
        writer.int(version)
        writer.name("epoch")
        writer.string(epoch)
        if let author {
            writer.name("author")
            writer.string(author)
        }
        writer.endObject()
        return writer.bytes
    }
}

extension StoredChange {
    /// Whether the change is too large for events and pages.
    var isOversized: Bool { bytes.count > FeedEvent.maximumChangeBytes }
}

extension [StoredChange] {
    /// Whether these changes, from a limited number of bytes, are a single one that is too large.
    var hasOversizedChange: Bool { first?.isOversized ?? false }
}
