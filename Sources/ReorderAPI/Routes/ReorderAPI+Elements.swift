import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

/// The update requests of apps that already post their tasks to `task/`. The body is an element
/// with the members that have changed.
extension ReorderAPI {
    func postElement(_ request: Request) throws -> Job {
        let (id, form) = try request.read { reader throws(JSONTypeError) in
            let form = try ElementBody(from: &reader)
            guard let id = form.id else { throw reader.missingMember("id") }
            return (id, form)
        }
        return try store(form, id: id, request)
    }

    func putElement(_ request: Request) throws -> Job {
        let id = request.parameter("id")
        guard Identifier.isValid(id) else { throw Problem(invalidIDInPath: id) }
        let form = try request.read { reader throws(JSONTypeError) in
            try ElementBody(from: &reader)
        }
        guard form.id == nil || form.id == id else {
            throw Problem(
                .invalidBody, "The element's id differs from the id in the path.", pointer: "/id")
        }
        return try store(form, id: id, request)
    }

    private func store(
        _ form: ElementBody, id: TaskID, _ request: Request
    ) throws(Problem) -> Job {
        let target = form.list.map { WriteTarget.task(id, in: $0) } ?? .listContaining(id)
        return try write(
            .element(form.element(id: id)), to: target, request,
            WriteRendering(tags, request, body: .element, isToTask: true))
    }
}
