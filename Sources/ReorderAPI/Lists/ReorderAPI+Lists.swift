import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func getList(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let window = try request.window()
        service.snapshot(of: request.parameter("id")) { result in
            answer(
                result.mapError { Problem($0) }.map { snapshot in
                    guard !request.hasSeen(version: snapshot.version) else {
                        return Response(
                            status: 304, headers: ["ETag": EntityTag.of(snapshot.version)])
                    }
                    return .json(
                        version: snapshot.version,
                        ListDocument.json(
                            id: snapshot.id, version: snapshot.version, of: snapshot.list, window))
                })
        }
    }

    func postList(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let (document, list) = try readList(request)
        let id = document.id ?? UUIDv7.make()
        let target = document.id == nil ? WriteTarget.newList(id) : .list(id)
        try write(.create(list), to: target, request, answer) {
            .written($0, status: 201, headers: ["Location": "/lists/\(id)"])
        }
    }

    func putList(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let id = request.parameter("id")
        guard Identifier.isValid(id) else { throw Problem(.invalidBody, Identifier.rule) }
        let (document, list) = try readList(request)
        guard document.id == nil || document.id == id else {
            throw Problem(
                .invalidBody, "The document's id is not that of the path.", pointer: "/id")
        }
        try write(.put(list), to: .list(id), request, answer) { written in
            .written(
                written, status: written.created ? 201 : 200,
                headers: written.created ? ["Location": "/lists/\(id)"] : [:])
        }
    }

    func patchList(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let update = try request.read { reader throws(JSONTypeError) in
            try SettingsForm(from: &reader).update
        }
        try write(
            .command(.settings(update)), to: .list(request.parameter("id")), request, answer
        ) { .written($0) }
    }

    func deleteList(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        try write(.deleteList, to: .list(request.parameter("id")), request, answer) {
            Response(status: 204, headers: ["ETag": EntityTag.of($0.version)])
        }
    }

    private func readList(_ request: Request) throws(Problem) -> (ListDocument, ReorderableList) {
        let document = try request.read { reader throws(JSONTypeError) in
            try ListDocument(from: &reader, makeID: UUIDv7.make)
        }
        do throws(ReorderableList.DocumentError) {
            return (document, try document.makeList())
        } catch {
            throw Problem(error)
        }
    }
}

extension Request {
    /// Which of a list's tasks are asked for.
    fileprivate func window() throws(Problem) -> ListDocument.Window {
        guard !query.raw.isEmpty else { return ListDocument.Window() }
        return ListDocument.Window(
            isVisibleOnly: try flag("visible"),
            offset: try number("offset", in: 0...Int.max, default: 0),
            limit: query["limit"] == nil ? nil : try number("limit", in: 0...Int.max, default: 0))
    }
}
