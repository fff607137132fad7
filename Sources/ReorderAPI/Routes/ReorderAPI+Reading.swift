import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    /// A list's document is rendered once for each version and coding. The response is cached with
    /// its header fields, and is sent on any number of connections until the list changes.
    func getList(_ request: Request) throws -> Job {
        let window = try request.window()
        let seen = request.seenVersions(tags)
        let accepted = request.coding
        let list = request.parameter("id")
        let key: @Sendable (Int) -> ResponseCacheKey = { version in
            let coding = seen.coding(of: version, accepting: accepted) ?? accepted
            return ResponseCacheKey(window, isCompressed: coding == .gzip)
        }
        return .wait(for: { [service] in service.read(list, as: key, $0) }) { [self] reading in
            guard let coding = seen.coding(of: reading.version, accepting: accepted) else {
                return try document(of: reading, window, accepted) { $0 }
            }
            return try unchanged(reading, window, accepted == nil ? nil : coding)
        }
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
            let coding = seen.coding(of: version, accepting: request.coding)
            isSeen = coding != nil
            return ResponseCacheKey(
                ListDocument.Window(), isCompressed: (coding ?? request.coding) == .gzip)
        }
        guard let document = kept as? PreparedResponse else { return nil }
        return isSeen ? document.notModified : document
    }

    /// The 304 response for a client that already has this version. It includes the document's
    /// length if that is known, or if the document can be rendered on the event loop.
    private func unchanged(
        _ reading: ListReading, _ window: ListDocument.Window, _ coding: ContentCoding?
    ) throws -> Job {
        if case .list(let list) = reading.content,
            list.entryCount > service.limits.tasksOnLoop, kept(reading) == nil
        {
            return .respond(Response(notModified: tags.list(reading.version), coding))
        }
        return try document(of: reading, window, coding, \.notModified)
    }

    private func kept(_ reading: ListReading) -> PreparedResponse? {
        service.kept(of: reading.id) { $0 == reading.version ? reading.key : nil }
            as? PreparedResponse
    }

    /// Responds with the list's document, or a form of it. Worker threads render and compress large
    /// documents.
    private func document(
        of reading: ListReading, _ window: ListDocument.Window, _ coding: ContentCoding?,
        _ form: @escaping @Sendable (Response) -> Response
    ) throws -> Job {
        if case .kept(let kept as PreparedResponse) = reading.content {
            return .respond(form(Response(kept)))
        }
        // Another request may have rendered it meanwhile.
        if let kept = kept(reading) { return .respond(form(Response(kept))) }
        guard case .list(let list) = reading.content else { throw Self.notRendered }
        let entries = window.entryCount(of: list)
        var size = WorkerThreads.Size(tasks: entries)
        if entries <= service.limits.tasksOnLoop {
            let document = document(window, of: list, reading)
            if coding != .gzip || document.bodyCount <= Response.maximumBytesKeptByLoop {
                let response = document.coded(coding)
                guard let prepared = PreparedResponse(response) else {
                    return .respond(form(response))
                }
                service.keep(prepared, of: reading)
                return .respond(form(Response(prepared)))
            }
            size = WorkerThreads.Size(bytes: document.bodyCount)
        }
        let workSize = size
        return .wait(
            for: { [self] done in
                service.render(reading, size: workSize, done) { [self] in
                    PreparedResponse(document(window, of: list, reading).coded(coding))
                }
            }
        ) { rendering in
            guard let prepared = rendering as? PreparedResponse else { throw Self.notRendered }
            return .respond(form(Response(prepared)))
        }
    }

    private static let notRendered = Problem(.internalError, "The list can't be rendered.")

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
        ListDocument.Window(
            isVisibleOnly: try flag("visible"),
            offset: try number("offset", in: 0...Int.max, default: 0),
            limit: query["limit"] == nil ? nil : try number("limit", in: 0...Int.max, default: 0))
    }
}
