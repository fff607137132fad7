import MicroHTTP
import ReorderService

extension ReorderAPI {
    /// A list's changes as server-sent events, from now on or from what the client has seen.
    func getEvents(_ call: Call) throws -> Response {
        let list = call.request.parameter("id")
        let since = try call.request.lastSeenVersion(tags)
        // The head alone holds nothing open.
        if call.request.method != .head, call.permit == nil {
            call.permit = streams.take()
            guard call.permit != nil else {
                throw Problem(.unavailable, "The server has as many open streams as it takes.")
            }
        }
        // Held by the request, so that nothing is missed until the stream begins.
        let feed =
            call.feed ?? feeds.object(list) { ListFeed(list, service, in: feeds) }
        call.feed = feed
        let position = try service.position(of: list, call.context)
        guard position.exists || position.version > since ?? .max else {
            throw ServiceError.listNotFound(list)
        }
        let events = ListEvents(service, feed, since: since, call.permit)
        let source = access?.guarding(events, for: call.request) ?? events
        return Response(
            status: 200, headers: Self.streamHeaders,
            stream: EventStream(topic: feed.topic, source: source))
    }

    /// Nothing between here and the client may keep events, or hold them back.
    private static let streamHeaders: HeaderFields = [
        "Content-Type": "text/event-stream", "Cache-Control": "no-store",
        "X-Accel-Buffering": "no",
    ]
}

extension Request {
    /// The version that the client has seen: as its stream broke off, or as it fetched the document.
    fileprivate func lastSeenVersion(_ tags: EntityTags) throws(Problem) -> Int? {
        // Wrong is wrong, even where the header field goes before it.
        let since = try since(tags)
        guard let value = headers["Last-Event-ID"] else { return since }
        let field = value[...].trimmingASCIISpaces()
        guard !field.isEmpty else { return since }
        guard let version = tags.version(ofToken: field) else {
            throw Problem(.badRequest, "Last-Event-ID is no id of an event of a list.")
        }
        return version
    }

    /// The version that the parameter `since` names.
    func since(_ tags: EntityTags) throws(Problem) -> Int? {
        guard let text = query["since"] else { return nil }
        guard let version = tags.version(ofToken: text[...]) else {
            throw Problem(
                .invalidQuery,
                "The parameter since is a version from 0 to \(Int.max), with \"-\" and the "
                    + "document's epoch after it if it has one.")
        }
        return version
    }
}
