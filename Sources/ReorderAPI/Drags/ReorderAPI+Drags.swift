import MicroHTTP
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postDrag(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let form = try request.read { reader throws(JSONTypeError) in
            try LiftForm(from: &reader)
        }
        service.lift(
            form.tasks, isBlock: form.isBlock, of: request.parameter("id"), as: UUIDv7.make(),
            by: request.clientID
        ) { result in
            answer(result.mapError { Problem($0) }.map { $0.response })
        }
    }

    func patchDrag(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        let target = try request.read { reader throws(JSONTypeError) in
            try DragTargetForm(from: &reader).target
        }
        service.hover(request.parameter("id"), over: target, in: request.scope) { result in
            answer(result.mapError { Problem($0) }.map { .written($0, isDryRun: true) })
        }
    }

    func postDrop(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        var target: DragTarget?
        if !request.body.isEmpty {
            target = try request.read { reader throws(JSONTypeError) in
                try DragTargetForm(from: &reader).target
            }
        }
        let id = request.parameter("id")
        let dropAt = target
        try write(as: .drag(id), request, answer, { .written($0) }) {
            [service] make, completion in
            service.drop(id, at: dropAt, in: request.scope, make, completion)
        }
    }

    func deleteDrag(_ request: Request, _ answer: @escaping Answer) throws(Problem) {
        do {
            try service.cancelDrag(request.parameter("id"), in: request.scope)
        } catch {
            throw Problem(error)
        }
        answer(.success(Response(status: 204)))
    }
}

extension Lift {
    fileprivate var response: Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("drag")
        writer.string(drag)
        writer.name("list")
        writer.string(list)
        writer.name("version")
        writer.int(version)
        writer.name("ttlSeconds")
        writer.int(Int(secondsToLive.rounded(.up)))
        writer.name("expires")
        writer.string(expires.formatted(ChangeDocument.timestamp))
        writer.named(tasks)
        writer.endObject()
        return .json(status: 201, headers: ["Location": "/drags/\(drag)"], writer.bytes)
    }
}
