import MicroHTTP
import ReorderJSON
import ReorderService

extension Response {
    /// A JSON answer about a list at a version.
    static func json(
        status: Int = 200, version: Int? = nil, headers: HeaderFields = [:], _ body: [UInt8]
    ) -> Response {
        var headers = headers
        headers.add("Content-Type", "application/json")
        if let version { headers.add("ETag", EntityTag.of(version)) }
        return Response(status: status, headers: headers, body: body)
    }

    /// An answer to a read. It may be another one the next time: caches have to ask, and where nothing
    /// changed are told so in few bytes. What has no version they can't ask about, and keep nothing of.
    static func read(version: Int? = nil, _ body: [UInt8]) -> Response {
        let caching = version == nil ? "no-store" : "no-cache"
        return json(version: version, headers: ["Cache-Control": caching], body)
    }

    /// The answer to a write: `list`, `version`, `changed`, and what the command tells.
    static func written(
        _ answer: WriteAnswer, status: Int = 200, isDryRun: Bool = false,
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
            status: status, version: isDryRun ? nil : answer.version, headers: headers,
            writer.takeBytes())
    }
}
