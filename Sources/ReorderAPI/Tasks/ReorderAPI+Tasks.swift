import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postTask(_ call: Call) throws -> Response {
        let (content, destination) = try call.request.read { reader throws(JSONTypeError) in
            let form = try CreateTaskBody(from: &reader)
            return (try form.content(reader, makeID: makeID), form.destination)
        }
        return try write(
            .command(.create(content, at: destination)), to: .list(call.request.parameter("id")),
            call, WriteRendering(tags, created: "/tasks/\(content.id)"))
    }

    func getTask(_ call: Call) throws -> Response {
        let id = call.request.parameter("id")
        let found = try service.versionedList(
            ofListContaining: id, in: call.request.scope, call.context)
        guard let task = found.list.task(id) else { throw ServiceError.taskNotFound(id) }
        let tag = tags.task(found.version, in: found.id)
        let headers: HeaderFields = [
            "Cache-Control": "no-cache", "ETag": tag,
            "Link": "</lists/\(found.id)>; rel=\"collection\"",
        ]
        var writer = JSONWriter()
        writer.task(task)
        return .json(headers: headers, writer.bytes)
    }

    func patchTask(_ call: Call) throws -> Response {
        let patch = try call.request.read { reader throws(JSONTypeError) in
            try TaskPatchBody(from: &reader).patch
        }
        let id = call.request.parameter("id")
        return try write(
            .command(.update(id, patch)), to: .listContaining(id), call,
            WriteRendering(tags, isToTask: true))
    }

    func deleteTask(_ call: Call) throws -> Response {
        let id = call.request.parameter("id")
        return try write(
            .command(.delete(id)), to: .listContaining(id), call,
            WriteRendering(tags, isToTask: true))
    }

    func postCollapse(_ call: Call) throws -> Response {
        let id = call.request.parameter("id")
        var collapsed = true
        if !call.request.body.isEmpty {
            collapsed = try call.request.read { reader throws(JSONTypeError) in
                try CollapseBody(from: &reader).collapsed
            }
        }
        let action = WriteRequest.Action.command(.collapse(id, collapsed))
        let rendering = WriteRendering(tags, isToTask: true)
        if let response = try fold(id, collapsed, action, call, rendering) { return response }
        return try write(action, to: .listContaining(id), call, rendering)
    }

    private static let versionsOfOneList =
        "A move within a list has version, and neither toList nor toVersion."

    func postMove(_ call: Call) throws -> Response {
        let isDryRun = try call.request.flag("dryRun")
        let (form, request) = try call.request.read { reader throws(JSONTypeError) in
            let form = try MoveBody(from: &reader)
            return (form, try form.request(reader))
        }
        var (move, rowVersions) = request
        let toList = form.toList
        let list = call.request.parameter("id")
        guard rowVersions.areCurrent || toList != list else {
            throw Problem(.invalidBody, Self.versionsOfOneList, pointer: "/toList")
        }
        let target = WriteTarget.list(list)
        let rendering = WriteRendering(tags, isDryRun: isDryRun)
        if call.request.query["folds"] != nil {
            guard toList == nil else { throw Problem(.invalidQuery, Self.foldsAndList) }
            let action = WriteRequest.Action.command(.move(move))
            if let response = try replay(action, to: target, call, rendering) { return response }
            move.folds = try folds(call)?.states
        }
        return try write(
            toList.map { .transfer(move, to: $0) } ?? .command(.move(move)),
            rowVersions.areCurrent ? [] : [rowVersions], to: target, call, rendering)
    }
}
