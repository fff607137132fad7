import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postList(_ request: Request) throws -> Job {
        let (documentID, list) = try readList(request)
        let id = try id(ofNewList: documentID, request)
        let target = documentID == nil ? WriteTarget.newList(id) : .list(id)
        return try write(
            list, as: .create(list), to: target, request,
            id)
    }

    /// The id of a new list: the client's, or one that the server chooses.
    func id(ofNewList id: String?, _ request: Request) throws(Problem) -> String {
        if let id { return id }
        let newID = makeID()
        guard request.rights?.allowWriting(newID) ?? true else { throw Problem.newListWithoutID }
        return newID
    }

    func putList(_ request: Request) throws -> Job {
        let id = request.parameter("id")
        guard Identifier.isValid(id) else { throw Problem(invalidIDInPath: id) }
        let (documentID, list) = try readList(request)
        guard documentID == nil || documentID == id else {
            var problem = Problem(
                .invalidBody, "The document's id differs from the id in the path.", pointer: "/id")
            if request.bodyReader is ListUpload { problem.name(line: 1) }
            throw problem
        }
        return try write(list, as: .put(list), to: .list(id), request, id, isReplacement: true)
    }

    /// A write of the list in the body.
    private func write(
        _ list: ReorderableList, as action: WriteRequest.Action, to target: WriteTarget,
        _ request: Request, _ id: String, isReplacement: Bool = false
    ) throws(Problem) -> Job {
        var lineOfTask: (@Sendable (TaskID) -> Int?)?
        if request.bodyReader is ListUpload {
            // The first line has the list's own members.
            lineOfTask = { list.documentIndex(of: $0).map { $0 + 2 } }
        }
        return try write(
            action, to: target, request,
            WriteRendering(
                tags, request, created: "/lists/\(id)", isReplacement: isReplacement,
                lineOfTask: lineOfTask))
    }

    func patchList(_ request: Request) throws -> Job {
        let command = try request.read { reader throws(JSONTypeError) in
            try Command(bodyOf: .list, from: &reader)
        }
        return try write(
            .command(command), to: .list(request.parameter("id")), request,
            WriteRendering(tags, request))
    }

    func deleteList(_ request: Request) throws -> Job {
        let list = request.parameter("id")
        let action = WriteRequest.Action.deleteList(isPermanent: try request.flag("permanent"))
        let rendering = WriteRendering(tags, request, body: .none)
        let write = try writeRequest(action, to: .list(list), request, rendering)
        return .wait { [service] proceed in
            service.write(write, as: rendering) { outcome in
                proceed { try self.endLinks(to: list, after: outcome, rendering) }
            }
        }
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
