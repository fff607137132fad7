import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    func postTask(_ request: Request) throws -> Job {
        let (content, destination) = try request.read { reader throws(JSONTypeError) in
            let form = try CreateTaskBody(from: &reader)
            return (try form.content(reader, makeID: makeID), form.destination)
        }
        return try write(
            .command(.create(content, at: destination)), to: .list(request.parameter("id")),
            request, WriteRendering(tags, request, created: "/tasks/\(content.id)"))
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

    func patchTask(_ request: Request) throws -> Job {
        let patch = try request.read { reader throws(JSONTypeError) in
            try TaskPatchBody(from: &reader).patch
        }
        let id = request.parameter("id")
        return try write(
            .command(.update(id, patch)), to: .listContaining(id), request,
            WriteRendering(tags, request, isToTask: true))
    }

    func deleteTask(_ request: Request) throws -> Job {
        let id = request.parameter("id")
        return try write(
            .command(.delete(id)), to: .listContaining(id), request,
            WriteRendering(tags, request, isToTask: true))
    }

    func postCollapse(_ request: Request) throws -> Job {
        let id = request.parameter("id")
        let given = try request.readIfGiven { reader throws(JSONTypeError) in
            try CollapseBody(from: &reader).collapsed
        }
        let collapsed = given ?? true
        let rendering = WriteRendering(tags, request, isToTask: true)
        let write = try writeRequest(
            .command(.collapse(id, collapsed)), to: .listContaining(id), request, rendering)
        guard let folds = try request.listOfFolds() else { return .write(write, rendering) }
        return try fold(id, collapsed, in: folds, request, insteadOf: write, rendering)
    }

    private static let versionsOfOneList =
        "A move within a list has version, and neither toList nor toVersion."

    func postMove(_ request: Request) throws -> Job {
        let isDryRun = try request.flag("dryRun")
        let (form, content) = try request.read { reader throws(JSONTypeError) in
            let form = try MoveBody(from: &reader)
            return (form, try form.request(reader))
        }
        let (move, rowVersions) = content
        let toList = form.toList
        let list = request.parameter("id")
        guard rowVersions.areCurrent || toList != list else {
            throw Problem(.invalidBody, Self.versionsOfOneList, pointer: "/toList")
        }
        let target = WriteTarget.list(list)
        let rendering = WriteRendering(tags, request, isDryRun: isDryRun)
        var write = try writeRequest(
            toList.map { .transfer(move, to: $0) } ?? .command(.move(move)), to: target, request,
            rendering)
        write.rowVersions = rowVersions.areCurrent ? [] : [rowVersions]
        guard request.query["folds"] == nil || toList == nil else {
            throw Problem(.invalidQuery, Self.foldsAndList)
        }
        guard let folds = try request.listOfFolds() else { return .write(write, rendering) }
        return self.move(move, write, rendering, seenWith: folds)
    }
}
