import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postList(_ call: Call) throws -> Response {
        let (documentID, list) = try readList(call.request)
        let id = try call.id(ofNewList: documentID)
        let target = documentID == nil ? WriteTarget.newList(id) : .list(id)
        return try write(
            list, as: .create(list), to: target, call,
            WriteRendering(tags, created: "/lists/\(id)"))
    }

    func putList(_ call: Call) throws -> Response {
        let id = call.request.parameter("id")
        guard Identifier.isValid(id) else { throw Problem(invalidIDInPath: id) }
        let (documentID, list) = try readList(call.request)
        guard documentID == nil || documentID == id else {
            var problem = Problem(
                .invalidBody, "The document's id differs from the id in the path.", pointer: "/id")
            if call.request.bodyReader is ListUpload { problem.name(line: 1) }
            throw problem
        }
        var rendering = WriteRendering(tags, created: "/lists/\(id)")
        rendering.isReplacement = true
        return try write(list, as: .put(list), to: .list(id), call, rendering)
    }

    /// Applies a write of the list in the body.
    private func write(
        _ list: ReorderableList, as action: WriteRequest.Action, to target: WriteTarget,
        _ call: Call, _ rendering: WriteRendering
    ) throws -> Response {
        guard call.request.bodyReader is ListUpload else {
            return try write(action, to: target, call, rendering)
        }
        var rendering = rendering
        // The first line has the list's own members.
        rendering.lineOfTask = { list.documentIndex(of: $0).map { $0 + 2 } }
        do {
            return try write(action, to: target, call, rendering)
        } catch let error as ServiceError {
            if case .waiting = error { throw error }
            throw rendering.problem(error)
        }
    }

    func patchList(_ call: Call) throws -> Response {
        let update = try call.request.read { reader throws(JSONTypeError) in
            try SettingsBody(from: &reader).update
        }
        return try write(
            .command(.settings(update)), to: .list(call.request.parameter("id")), call,
            WriteRendering(tags))
    }

    func deleteList(_ call: Call) throws -> Response {
        try write(
            .deleteList(isPermanent: try call.request.flag("permanent")),
            to: .list(call.request.parameter("id")), call, WriteRendering(tags, body: .none))
    }

    /// Reads a list from JSON, or from the lines that have arrived.
    ///
    /// - Returns: the document's id, and the list.
    private func readList(_ request: Request) throws(Problem) -> (String?, ReorderableList) {
        if let upload = request.bodyReader as? ListUpload {
            // The client's access may have ended while the lines arrived.
            try access?.recheck(request)
            return try upload.list(endingWith: request.body)
        }
        let document = try request.read(alsoAccepting: "\(ListUpload.mediaType)") {
            reader throws(JSONTypeError) in
            try ListDocument(from: &reader, makeID: makeID)
        }
        do throws(ReorderableList.DocumentError) {
            return (document.id, try document.makeList())
        } catch {
            throw Problem(error)
        }
    }
}
