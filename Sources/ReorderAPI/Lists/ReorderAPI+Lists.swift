import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
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
            Response(status: 204, headers: ["ETag": $0.tag(isToTask: false)])
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
