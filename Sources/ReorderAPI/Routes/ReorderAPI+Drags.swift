import MicroHTTP
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postDrag(_ request: Request) throws -> Job {
        let form = try request.read { reader throws(JSONTypeError) in
            try LiftBody(from: &reader)
        }
        let id = makeID()
        return .wait(
            for: { [service] in
                service.lift(
                    form.tasks, isBlock: form.isBlock, of: request.parameter("id"), as: id,
                    by: request.dragClient, $0)
            }
        ) { .respond($0.response(isMinimal: request.prefersMinimal)) }
    }

    func patchDrag(_ request: Request) throws -> Job {
        let target = try request.read { reader throws(JSONTypeError) in
            try DragTargetBody(from: &reader).target
        }
        let rendering = WriteRendering(tags, request, isDryRun: true)
        return .wait(
            for: { [service] in
                service.hover(
                    request.parameter("id"), over: target, by: request.dragClient, as: rendering, $0
                )
            }
        ) { .respond(rendering.response(to: $0)) }
    }

    func postDrop(_ request: Request) throws -> Job {
        let target = try request.readIfGiven { reader throws(JSONTypeError) in
            try DragTargetBody(from: &reader).target
        }
        let id = request.parameter("id")
        // The service takes the list and the action from the drag.
        let rendering = WriteRendering(tags, request)
        let write = try writeRequest(.deleteList(), to: .drag(id), request, rendering)
        return .wait(
            for: { [service] in
                service.drop(id, at: target, by: request.dragClient, write, as: rendering, $0)
            }
        ) { .respond(rendering.response(to: $0)) }
    }

    func deleteDrag(_ request: Request) throws -> Job {
        try service.cancelDrag(request.parameter("id"), by: request.dragClient)
        var response = Response(status: 204)
        if request.prefersMinimal { response.applyMinimal() }
        return .respond(response)
    }
}

extension Request {
    fileprivate var dragClient: DragClient {
        DragClient(
            name: clientID, author: tokenAccess?.author, identity: tokenAccess?.identity,
            rights: rights)
    }
}

extension Lift {
    fileprivate func response(isMinimal: Bool) -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("drag")
        writer.string(drag)
        writer.name("list")
        writer.string(list)
        writer.name("version")
        writer.int(version)
        writer.name("expiresInSeconds")
        writer.int(Int(secondsToLive.rounded(.up)))
        writer.name("expiresAt")
        writer.string(expires.formatted(ChangeDocument.timestamp))
        if !isMinimal { writer.named(tasks) }
        writer.endObject()
        var response = Response.json(
            status: 201, headers: ["Location": "/drags/\(drag)"], writer.bytes)
        if isMinimal { response.applyMinimal() }
        return response
    }
}
