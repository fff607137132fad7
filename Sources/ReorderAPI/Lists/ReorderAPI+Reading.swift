import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    /// A list's document is rendered once for each version. The response is cached with its header
    /// fields, and is sent on any number of connections until the list changes.
    func getList(_ call: Call) throws -> Response {
        let window = try call.request.window()
        let seen = call.request.seenVersions(tags)
        let reading = try service.read(call.request.parameter("id"), call.context) {
            seen.contains($0) ? .unchanged : .document(window)
        }
        guard case .list(let list) = reading.content, case .document(let window) = reading.key,
            window.taskCount(of: list) > service.limits.tasksOnLoop
        else { return response(to: reading, window) }
        let rendering = try service.rendering(
            of: reading, tasks: window.taskCount(of: list), call.context
        ) {
            PreparedResponse(self.document(window, of: list, reading))
        }
        guard let prepared = rendering as? PreparedResponse else {
            throw Problem(.internalError, "The list can't be rendered.")
        }
        return Response(prepared)
    }

    /// Returns the cached response to a read of a whole list. Returns nil if no response is cached,
    /// or if the request needs `getList`. This costs a fraction of a routed request.
    func cachedListResponse(_ request: Request) -> PreparedResponse? {
        guard let id = request.plainSegment(after: "/lists/"), (try? request.checkFields()) != nil
        else { return nil }
        if let access, !access.mayRead(id, request) { return nil }
        let seen = request.seenVersions(tags)
        var isSeen = false
        let kept = service.kept(of: id) { version in
            isSeen = seen.contains(version)
            return .document(ListDocument.Window())
        }
        guard let document = kept as? PreparedResponse else { return nil }
        return isSeen ? document.notModified : document
    }

    /// For a 304, a list with at most this number of tasks is rendered only to get the length of
    /// its document.
    private static let tasksRenderedForLength = 1_000

    /// The 304 response for a client that already has this version. It includes the document's
    /// length if that is known or cheap to compute.
    private func unchanged(
        _ reading: ListReading, _ list: ReorderableList, _ window: ListDocument.Window
    ) -> Response {
        var reading = reading
        reading.key = .document(window)
        let kept = service.kept(of: reading.id) { $0 == reading.version ? reading.key : nil }
        if let kept = kept as? PreparedResponse { return Response(kept).notModified }
        guard list.count <= Self.tasksRenderedForLength else {
            return Response(
                status: 304,
                headers: ["Cache-Control": "no-cache", "ETag": tags.list(reading.version)])
        }
        reading.content = .list(list)
        return response(to: reading, window).notModified
    }

    private func response(to reading: ListReading, _ window: ListDocument.Window) -> Response {
        // If several requests wait for this version, one of them renders it.
        let kept = service.kept(of: reading.id) { $0 == reading.version ? reading.key : nil }
        if let kept = kept as? PreparedResponse { return Response(kept) }
        let response: Response
        switch (reading.content, reading.key) {
        case (.kept(let prepared as PreparedResponse), _): return Response(prepared)
        case (.kept, _): return Problem(.internalError, "The list can't be rendered.").response()
        case (.list(let list), .unchanged): return unchanged(reading, list, window)
        case (.list(let list), .document(let window)):
            response = document(window, of: list, reading)
        }
        guard let prepared = PreparedResponse(response) else { return response }
        service.keep(prepared, of: reading)
        return Response(prepared)
    }

    private func document(
        _ window: ListDocument.Window, of list: ReorderableList, _ reading: ListReading
    ) -> Response {
        .read(
            tag: tags.list(reading.version),
            ListDocument.json(
                id: reading.id, version: reading.version, epoch: service.epoch, of: list, window,
                showsOffsetLock: true))
    }
}

extension PreparedResponse: CachedResponse {
    /// The body, and an estimate for its objects.
    package var byteCount: Int { bodyCount + 512 }
}

extension Request {
    /// The part of the list's tasks that the request asks for.
    fileprivate func window() throws(Problem) -> ListDocument.Window {
        let query = query
        guard !query.raw.isEmpty else { return ListDocument.Window() }
        return ListDocument.Window(
            isVisibleOnly: try flag("visible"),
            offset: try number("offset", in: 0...Int.max, default: 0),
            limit: query["limit"] == nil ? nil : try number("limit", in: 0...Int.max, default: 0))
    }
}
