import MicroHTTP
import ReorderService

extension ReorderAPI {
    /// Sends a list's changes as server-sent events: those after the client's version, or only new
    /// changes.
    func getEvents(_ call: Call) throws -> Response {
        let list = call.request.parameter("id")
        let since = try call.request.lastSeenVersion(tags)
        // A HEAD request opens no stream.
        if call.request.method != .head, call.permit == nil {
            call.permit = streamPermits.take()
            guard call.permit != nil else {
                throw Problem(
                    .unavailable, "The server already has the maximum number of open streams.")
            }
        }
        // The request keeps this object while it waits, so that no event is missed before the
        // stream begins.
        let streams =
            call.streams ?? listStreams.object(list) { ListStreams(list, service, in: listStreams) }
        call.streams = streams
        let position = try service.position(of: list, call.context)
        guard position.exists || position.version > since ?? .max else {
            throw ServiceError.listNotFound(list)
        }
        let events = ListEventSource(service, streams, since: since, call.permit)
        let source = access?.guarding(events, for: call.request) ?? events
        return Response(
            status: 200, headers: Self.streamHeaders,
            stream: EventStream(topic: streams.topic, source: source))
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
        guard let value = headers["Last-Event-ID"] else { return since }
        let field = value[...].trimmingASCIISpaces()
        guard !field.isEmpty else { return since }
        guard let version = tags.version(ofToken: field) else {
            throw Problem(.badRequest, "Last-Event-ID is not the id of a list event.")
        }
        return version
    }

    /// The version in the parameter `since`.
    func since(_ tags: EntityTags) throws(Problem) -> Int? {
        guard let text = query["since"] else { return nil }
        guard let version = tags.version(ofToken: text[...]) else {
            throw Problem(
                .invalidQuery,
                "The parameter since must be a version, such as 7. If the document has an epoch, "
                    + "append \"-\" and the epoch.")
        }
        return version
    }
}
