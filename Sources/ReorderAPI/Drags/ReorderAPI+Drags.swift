import MicroHTTP
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postDrag(_ call: Call) throws -> Response {
        let form = try call.request.read { reader throws(JSONTypeError) in
            try LiftBody(from: &reader)
        }
        return try service.lift(
            form.tasks, isBlock: form.isBlock, of: call.request.parameter("id"),
            as: call.newID, by: call.request.clientID, call.context
        ).response
    }

    func patchDrag(_ call: Call) throws -> Response {
        let target = try call.request.read { reader throws(JSONTypeError) in
            try DragTargetBody(from: &reader).target
        }
        let rendering = WriteRendering(tags, isDryRun: true)
        return rendering.response(
            to: try service.hover(
                call.request.parameter("id"), over: target, in: call.request.scope,
                call.context, as: rendering))
    }

    func postDrop(_ call: Call) throws -> Response {
        var target: DragTarget?
        if !call.request.body.isEmpty {
            target = try call.request.read { reader throws(JSONTypeError) in
                try DragTargetBody(from: &reader).target
            }
        }
        let id = call.request.parameter("id")
        // The service takes the list and the action from the drag.
        let request = try writeRequest(.deleteList(), call.request, of: .drag(id))
        let rendering = WriteRendering(tags)
        return rendering.response(
            to: try service.drop(
                id, at: target, in: call.request.scope, request, call.context, as: rendering))
    }

    func deleteDrag(_ call: Call) throws -> Response {
        try service.cancelDrag(call.request.parameter("id"), in: call.request.scope)
        return Response(status: 204)
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
