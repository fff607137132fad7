import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

/// The update request of the table views' HTTP client: an element as it stores it, with what it has
/// changed of it.
extension ReorderAPI {
    func postElement(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let (id, form) = try request.read { reader throws(JSONTypeError) in
            let form = try ElementForm(from: &reader)
            guard let id = form.id else { throw reader.missingMember("id") }
            return (id, form)
        }
        try store(form, id: id, request, answer)
    }

    func putElement(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let id = request.parameter("id")
        guard Identifier.isValid(id) else { throw Problem(.invalidBody, Identifier.rule) }
        let form = try request.read { reader throws(JSONTypeError) in
            try ElementForm(from: &reader)
        }
        guard form.id == nil || form.id == id else {
            throw Problem(
                .invalidBody, "The element's id is not that of the path.", pointer: "/id")
        }
        try store(form, id: id, request, answer)
    }

    private func store(
        _ form: ElementForm, id: TaskID, _ request: Request, _ answer: @escaping Answer
    ) throws(Problem) {
        let target = form.list.map { WriteTarget.task(id, in: $0) } ?? .listHolding(id)
        try write(.element(form.element(id: id)), to: target, request, answer) { written in
            guard case .element(let task?, let isNew) = written.result else {
                return .written(written, isToTask: true)
            }
            var writer = JSONWriter()
            writer.element(task, of: written.list)
            return .json(
                status: isNew ? 201 : 200, tag: written.tag(isToTask: true),
                headers: isNew ? ["Location": "/tasks/\(task.id)"] : [:], writer.bytes)
        }
    }
}
