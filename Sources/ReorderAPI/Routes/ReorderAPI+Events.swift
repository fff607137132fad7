import MicroHTTP
import ReorderAuth
import ReorderJSON
import ReorderService

extension ReorderAPI {
    /// Sends a list's changes as server-sent events: those after the client's version, or only new
    /// changes.
    func getEvents(_ request: Request) throws -> Job {
        let list = request.parameter("id")
        let since = try request.lastSeenVersion(tags)
        let permit = try permit(for: request)
        // The job keeps the channel while it waits, so that no event is missed before the stream
        // begins.
        let channel = service.channel(of: list)
        return .wait(for: { [service] in service.position(of: list, $0) }) { [self] position in
            guard position.exists || position.version > since ?? .max else {
                throw ServiceError.listNotFound(list)
            }
            let events = ListEventSource(
                service, channel, since: since, after: request.historyAfter,
                author: request.tokenAccess?.author)
            return stream(events, channel, request, permit)
        }
    }

    /// Returns a ticket, with which a browser's `EventSource` can open streams.
    func postEventTicket(_ request: Request) throws -> Job {
        try request.checkEmptyBody()
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("ticket")
        // Without access control, every request is allowed, and tickets are ignored.
        writer.string(
            request.tokenAccess.flatMap { access?.control.ticket(for: $0) } ?? "not-needed")
        writer.name("expiresInSeconds")
        writer.int(AccessControl.ticketSeconds)
        writer.endObject()
        return .respond(
            .json(status: 201, headers: ["Cache-Control": "no-store"], writer.takeBytes()))
    }

    /// Counts the stream that the request opens. A HEAD request opens none.
    func permit(for request: Request) throws(Problem) -> StreamPermits.Permit? {
        guard request.method != .head else { return nil }
        guard let permit = streamPermits.take() else {
            throw Problem(
                .unavailable, "The server already has the maximum number of open streams.")
        }
        return permit
    }

    /// A stream that ends when the client's access ends.
    func stream(
        _ events: any EventSource, _ topic: any StreamTopic, _ request: Request,
        _ permit: StreamPermits.Permit?
    ) -> Job {
        let source = GuardedEvents(
            events, of: service, for: request.tokenAccess, access?.control, permit)
        return .respond(
            Response(
                status: 200, headers: Self.streamHeaders,
                stream: EventStream(topic: topic, source: source)))
    }

    /// Prevents proxies from caching or buffering the stream.
    private static let streamHeaders: HeaderFields = [
        "Content-Type": "text/event-stream", "Cache-Control": "no-store",
        "X-Accel-Buffering": "no",
    ]
}

extension Request {
    /// The version that the client has. It is in `Last-Event-ID` if the client reconnects, and
    /// otherwise in the parameter `since`.
    fileprivate func lastSeenVersion(_ tags: EntityTags) throws(Problem) -> Int? {
        // An invalid `since` is refused even if `Last-Event-ID` overrides it.
        let since = try since(tags)
        guard let id = lastEventID else { return since }
        // An earlier server sent ids without an epoch. The stream answers them with `refetch`.
        guard let version = tags.version(ofToken: id[...], mayLackEpoch: true) else {
            throw Problem(.badRequest, "Last-Event-ID is not the id of a list event.")
        }
        return version
    }

    /// The value of `Last-Event-ID`; nil without the field, and if it is empty.
    var lastEventID: String? { headers["Last-Event-ID"].flatMap { $0.isEmpty ? nil : $0 } }

    /// The version in the parameter `since`.
    func since(_ tags: EntityTags) throws(Problem) -> Int? { try version("since", tags) }

    /// The version in a parameter; nil if it is omitted.
    func version(_ name: String, _ tags: EntityTags) throws(Problem) -> Int? {
        guard let text = query[name] else { return nil }
        guard let version = tags.version(ofToken: text[...]) else {
            throw Problem(
                .invalidQuery,
                "The parameter \(name) must be VERSION-EPOCH, such as 7\(tags.suffix). The list's "
                    + "document, its entity tag and each page of changes have the epoch.")
        }
        return version
    }
}
