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

    func getTask(_ request: Request, _ answer: @escaping Answer) {
        let id = request.parameter("id")
        service.snapshot(ofListHolding: id) { result in
            answer(
                result.mapError { Problem($0) }.flatMap { snapshot in
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
        write(.update(id, patch), toListHolding: id, request, answer)
    }

    func deleteTask(_ request: Request, _ answer: @escaping Answer) {
        let id = request.parameter("id")
        write(.delete(id), toListHolding: id, request, answer)
    }

    func postCollapse(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let id = request.parameter("id")
        var collapsed = true
        if !request.body.isEmpty {
            collapsed = try request.read { reader throws(JSONTypeError) in
                try CollapseForm(from: &reader).collapsed
            }
        }
        write(.collapse(id, collapsed), toListHolding: id, request, answer)
    }

    func postMove(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let isDryRun = try request.flag("dryRun")
        let (move, target) = try request.read { reader throws(JSONTypeError) in
            let form = try MoveForm(from: &reader)
            return (try form.request(reader), form.toList)
        }
        var write = command(.move(move), of: request.parameter("id"), request)
        if let target { write.action = .transfer(move, to: target) }
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

    /// Writes to the list that holds the task that the path names, and renders what was done.
    func write(
        toListHolding task: TaskID, _ request: @escaping @Sendable (String) -> WriteRequest,
        _ answer: @escaping Answer, _ render: @escaping @Sendable (WriteAnswer) -> Response
    ) {
        service.write(toListHolding: task, request) { result in
            answer(result.mapError { Problem($0) }.map(render))
        }
    }

    private func write(
        _ command: ListCommand, toListHolding task: TaskID, _ request: Request,
        _ answer: @escaping Answer
    ) {
        let write = { @Sendable list in self.command(command, of: list, request) }
        self.write(toListHolding: task, write, answer) { .written($0) }
    }
}
