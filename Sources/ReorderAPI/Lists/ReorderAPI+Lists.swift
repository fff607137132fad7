import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postList(_ call: Call) throws -> Response {
        let (document, list) = try readList(call.request)
        let id = document.id ?? makeID()
        let target = document.id == nil ? WriteTarget.newList(id) : .list(id)
        return try write(
            .create(list), to: target, call, WriteRendering(tags, created: "/lists/\(id)"))
    }

    func putList(_ call: Call) throws -> Response {
        let id = call.request.parameter("id")
        guard Identifier.isValid(id) else { throw Problem(.invalidBody, Identifier.rule) }
        let (document, list) = try readList(call.request)
        guard document.id == nil || document.id == id else {
            throw Problem(
                .invalidBody, "The document's id differs from the id in the path.", pointer: "/id")
        }
        var rendering = WriteRendering(tags, created: "/lists/\(id)")
        rendering.isReplacement = true
        return try write(.put(list), to: .list(id), call, rendering)
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

    private func readList(_ request: Request) throws(Problem) -> (ListDocument, ReorderableList) {
        let document = try request.read { reader throws(JSONTypeError) in
            try ListDocument(from: &reader, makeID: makeID)
        }
        do throws(ReorderableList.DocumentError) {
            return (document, try document.makeList())
        } catch {
            throw Problem(error)
        }
    }
}
