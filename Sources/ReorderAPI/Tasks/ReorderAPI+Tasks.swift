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
        try write(
            .command(.create(content, at: destination)), to: .list(request.parameter("id")),
            request, answer
        ) {
            .written($0, status: 201, headers: ["Location": "/tasks/\(content.id)"])
        }
    }

    func getTask(_ request: Request, _ answer: @escaping Answer) {
        let id = request.parameter("id")
        service.snapshot(ofListHolding: id, in: request.scope) { [tags] result in
            answer(
                result.mapError { Problem(reading: $0) }.flatMap { snapshot in
                    guard let task = snapshot.list.task(id) else {
                        return .failure(Problem(ServiceError.taskNotFound(id)))
                    }
                    let tag = tags.task(snapshot.version, in: snapshot.id)
                    let headers: HeaderFields = [
                        "Cache-Control": "no-cache", "ETag": tag,
                        "Link": "</lists/\(snapshot.id)>; rel=\"collection\"",
                    ]
                    var writer = JSONWriter()
                    writer.task(task)
                    let response = Response.json(headers: headers, writer.bytes)
                    let isSeen = request.hasSeen(tag)
                    return .success(isSeen ? response.notModified : response)
                })
        }
    }

    func patchTask(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let patch = try request.read { reader throws(JSONTypeError) in
            try PatchForm(from: &reader).patch
        }
        let id = request.parameter("id")
        try write(.command(.update(id, patch)), to: .listHolding(id), request, answer) {
            .written($0, isToTask: true)
        }
    }

    func deleteTask(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let id = request.parameter("id")
        try write(.command(.delete(id)), to: .listHolding(id), request, answer) {
            .written($0, isToTask: true)
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
        try write(.command(.collapse(id, collapsed)), to: .listHolding(id), request, answer) {
            .written($0, isToTask: true)
        }
    }

    func postMove(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let isDryRun = try request.flag("dryRun")
        let (move, target) = try request.read { reader throws(JSONTypeError) in
            let form = try MoveForm(from: &reader)
            return (try form.request(reader), form.toList)
        }
        try write(
            target.map { .transfer(move, to: $0) } ?? .command(.move(move)),
            to: .list(request.parameter("id")), request, isDryRun: isDryRun, answer
        ) { .written($0, isDryRun: isDryRun) }
    }
}
