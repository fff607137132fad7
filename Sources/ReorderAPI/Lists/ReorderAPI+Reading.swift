import MicroHTTP
import ReorderJSON
import ReorderService

extension ReorderAPI {
    /// A list's document is rendered once a version: the response is kept with its header fields, and
    /// sent on any number of connections, until the list changes.
    func getList(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let window = try request.window()
        let seen = request.seenVersions(tags)
        service.read(
            request.parameter("id"), as: { seen.contains($0) ? .unchanged : .document(window) }
        ) { result in
            answer(result.mapError { Problem(reading: $0) }.map(response))
        }
    }

    /// The answer to a read of a whole list, where it is kept; what is not so plain is left to
    /// `getList`. A read that finds its answer ready costs a fraction of one that is routed.
    func keptList(_ request: Request) -> PreparedResponse? {
        guard let id = request.plainSegment(after: "/lists/"), (try? request.checkFields()) != nil
        else { return nil }
        if let access, !access.mayRead(id, request) { return nil }
        let seen = request.seenVersions(tags)
        let kept = service.kept(of: id) {
            seen.contains($0) ? .unchanged : .document(ListDocument.Window())
        }
        return kept as? PreparedResponse
    }

    private func response(to reading: ListReading) -> Response {
        // Of all who waited for the version, one renders it.
        let kept = service.kept(of: reading.id) { $0 == reading.version ? reading.key : nil }
        if let kept = kept as? PreparedResponse { return Response(kept) }
        let response: Response
        switch (reading.content, reading.key) {
        case (.kept(let prepared as PreparedResponse), _): return Response(prepared)
        case (.kept, _): return Problem(.internalError, "The list can't be rendered.").response()
        case (.list, .unchanged):
            response = Response(
                status: 304,
                headers: [
                    "Cache-Control": "no-cache", "ETag": tags.list(reading.version),
                ])
        case (.list(let list), .document(let window)):
            response = .read(
                tag: tags.list(reading.version),
                ListDocument.json(
                    id: reading.id, version: reading.version, epoch: service.epoch, of: list,
                    window))
        }
        guard let prepared = PreparedResponse(response) else { return response }
        service.keep(prepared, of: reading)
        return Response(prepared)
    }
}

extension PreparedResponse: Rendering {
    /// The body, and what libmicrohttpd and this object need beside it.
    package var byteCount: Int { bodyCount + 512 }
}

extension Request {
    /// Which of a list's tasks are asked for.
    fileprivate func window() throws(Problem) -> ListDocument.Window {
        let query = query
        guard !query.raw.isEmpty else { return ListDocument.Window() }
        return ListDocument.Window(
            isVisibleOnly: try flag("visible"),
            offset: try number("offset", in: 0...Int.max, default: 0),
            limit: query["limit"] == nil ? nil : try number("limit", in: 0...Int.max, default: 0))
    }
}
