import MicroHTTP
import ReorderJSON
import ReorderService

extension Response {
    /// A JSON answer.
    ///
    /// - Parameter tag: the entity tag of what it tells of.
    static func json(
        status: Int = 200, tag: String? = nil, headers: HeaderFields = [:], _ body: [UInt8]
    ) -> Response {
        var headers = headers
        headers.add("Content-Type", "application/json")
        if let tag { headers.add("ETag", tag) }
        return Response(status: status, headers: headers, body: body)
    }

    /// An answer to a read. It may be another one the next time: caches have to ask, and where nothing
    /// changed are told so in few bytes. What has no tag they can't ask about, and keep nothing of.
    static func read(tag: String? = nil, _ body: [UInt8]) -> Response {
        let caching = tag == nil ? "no-store" : "no-cache"
        return json(tag: tag, headers: ["Cache-Control": caching], body)
    }

    /// The answer to a write: `list`, `version`, `changed`, and what the command tells.
    ///
    /// - Parameter isToTask: whether the request was one to a task: then the tag is the task's.
    static func written(
        _ answer: WriteAnswer, status: Int = 200, isDryRun: Bool = false, isToTask: Bool = false,
        headers: HeaderFields = [:], ops: [BatchForm.Op] = []
    ) -> Response {
        var writer = JSONWriter()
        writer.reserve(768)
        writer.beginObject()
        writer.name("list")
        writer.string(answer.list)
        writer.name("version")
        writer.int(answer.version)
        writer.name("changed")
        writer.bool(answer.changed)
        if isDryRun {
            writer.name("dryRun")
            writer.bool(true)
        }
        writer.commandResult(answer.result, ops: ops)
        writer.endObject()
        return json(
            status: status, tag: isDryRun ? nil : answer.tag(isToTask: isToTask),
            headers: headers, writer.takeBytes())
    }
}

extension WriteAnswer {
    /// The entity tag of what the request's path names: the list, or a task in it.
    func tag(isToTask: Bool) -> String {
        let tags = EntityTags(epoch: epoch)
        return isToTask ? tags.task(version, in: list) : tags.list(version)
    }
}
