import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postTask(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let (content, destination) = try request.read { reader throws(JSONTypeError) in
            let form = try CreateForm(from: &reader)
            return (try form.content(reader, makeID: UUIDv7.make), form.destination)
        }
        write(
            command(
                .create(content, at: destination), of: request.parameter("id"), request),
            answer
        ) {
            .written($0, status: 201, headers: ["Location": "/tasks/\(content.id)"])
        }
    }

    func getTask(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let id = request.parameter("id")
        service.snapshot(of: try list(holding: id)) { result in
            answer(
                result.mapError { Problem($0, about: id) }.flatMap { snapshot in
                    guard let task = snapshot.list.task(id) else {
                        return .failure(Problem(ServiceError.taskNotFound(id)))
                    }
                    let headers: HeaderFields = [
                        "ETag": EntityTag.of(snapshot.version),
                        "Link": "</lists/\(snapshot.id)>; rel=\"collection\"",
                    ]
                    guard !request.hasSeen(version: snapshot.version) else {
                        return .success(Response(status: 304, headers: headers))
                    }
                    var writer = JSONWriter()
                    writer.task(task)
                    return .success(.json(headers: headers, writer.bytes))
                })
        }
    }

    func patchTask(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let patch = try request.read { reader throws(JSONTypeError) in
            try PatchForm(from: &reader).patch
        }
        let id = request.parameter("id")
        write(
            command(.update(id, patch), of: try list(holding: id), request), about: id, answer
        ) { .written($0) }
    }

    func deleteTask(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let id = request.parameter("id")
        write(command(.delete(id), of: try list(holding: id), request), about: id, answer) {
            .written($0)
        }
    }

    func postCollapse(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let id = request.parameter("id")
        var collapsed = true
        if !request.body.isEmpty {
            collapsed = try request.read { reader throws(JSONTypeError) in
                try CollapseForm(from: &reader).collapsed
            }
        }
        write(
            command(.collapse(id, collapsed), of: try list(holding: id), request), about: id,
            answer
        ) { .written($0) }
    }

    func postMove(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let isDryRun = try request.flag("dryRun")
        let move = try request.read { reader throws(JSONTypeError) in
            try MoveForm(from: &reader).request(reader)
        }
        var write = command(.move(move), of: request.parameter("id"), request)
        write.isDryRun = isDryRun
        self.write(write, answer) { .written($0, isDryRun: isDryRun) }
    }

    // MARK: What they share

    func command(
        _ command: ListCommand, of list: String, _ request: Request
    ) -> WriteRequest {
        WriteRequest(
            list: list, action: .command(command), precondition: request.precondition,
            client: request.clientID)
    }

    func list(holding task: TaskID) throws(Problem) -> String {
        do throws(ServiceError) {
            return try service.list(holding: task)
        } catch {
            throw Problem(error)
        }
    }
}
