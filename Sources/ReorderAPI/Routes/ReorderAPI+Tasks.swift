import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postTask(_ request: Request) throws -> Job {
        let command = try request.read { reader throws(JSONTypeError) in
            try Command(bodyOf: .create, from: &reader, makeID: makeID)
        }
        return try write(
            .command(command), to: .list(request.parameter("id")), request,
            WriteRendering(
                tags, request, created: command.createdTask.map { "/tasks/\($0)" }))
    }

    func getTask(_ request: Request) throws -> Job {
        let id = request.parameter("id")
        return .wait(
            for: { [service] in
                service.versionedList(ofListContaining: id, with: request.rights, $0)
            }
        ) { [tags] found in
            guard let task = found.list.task(id) else { throw ServiceError.taskNotFound(id) }
            let tag = tags.task(found.version, in: found.id)
            let headers: HeaderFields = [
                "Cache-Control": "no-cache", "ETag": tag,
                "Link": "</lists/\(found.id)>; rel=\"collection\"",
            ]
            var writer = JSONWriter()
            writer.task(task)
            return .respond(.json(headers: headers, writer.bytes))
        }
    }

    /// A command to the task in the path. Only an update needs a body.
    func changeTask(_ kind: Command.Kind, _ request: Request) throws -> Job {
        let id = request.parameter("id")
        let command = try request.read(isOptional: kind != .update) {
            reader throws(JSONTypeError) in
            try Command(bodyOf: kind, task: id, from: &reader)
        }
        let rendering = WriteRendering(tags, request, isToTask: true)
        let write = try writeRequest(
            .command(command), to: .listContaining(id), request, rendering)
        guard case .collapse(_, let collapsed) = command, let folds = try request.listOfFolds()
        else { return .write(write, rendering) }
        return try fold(id, collapsed, in: folds, request, insteadOf: write, rendering)
    }

    func deleteTask(_ request: Request) throws -> Job {
        let id = request.parameter("id")
        return try write(
            .command(.delete(id)), to: .listContaining(id), request,
            WriteRendering(tags, request, isToTask: true))
    }

    private static let versionsOfOneList =
        "A move within a list has version, and neither toList nor toVersion."

    func postMove(_ request: Request) throws -> Job {
        let isDryRun = try request.flag("dryRun")
        let body = try request.read { reader throws(JSONTypeError) in
            try MoveBody(from: &reader)
        }
        let list = request.parameter("id")
        guard body.rowVersions.isEmpty || body.toList != list else {
            throw Problem(.invalidBody, Self.versionsOfOneList, pointer: "/toList")
        }
        let rendering = WriteRendering(tags, request, isDryRun: isDryRun)
        guard request.query["folds"] == nil || body.toList == nil else {
            throw Problem(.invalidQuery, Self.foldsAndList)
        }
        guard let folds = try request.listOfFolds() else {
            return try write(body.action, body.rowVersions, to: .list(list), request, rendering)
        }
        let seen = try writeRequest(
            body.action, body.rowVersions, to: .list(list), request, rendering)
        return move(seen, rendering, seenWith: folds)
    }
}
