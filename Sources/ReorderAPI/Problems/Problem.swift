import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

/// Why a request failed, as a client is told (RFC 9457).
struct Problem: Error {
    var code: ProblemCode
    /// One sentence for a person. Nothing of the server's inside.
    var detail: String
    /// The list's current version, where it helps.
    var version: Int?
    /// Where in the body the fault is, as a JSON Pointer.
    var pointer: String?
    /// The tasks that the request named, as they are now.
    var named = NamedTasks.one(nil)

    init(_ code: ProblemCode, _ detail: String, version: Int? = nil, pointer: String? = nil) {
        self.code = code
        self.detail = detail
        self.version = version
        self.pointer = pointer
    }

    var response: Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("type")
        writer.string("urn:reorderd:problem:\(code.rawValue)")
        writer.name("title")
        writer.string(code.title)
        writer.name("status")
        writer.int(code.status)
        writer.name("detail")
        writer.string(detail)
        writer.name("code")
        writer.string(code.rawValue)
        if let version {
            writer.name("version")
            writer.int(version)
        }
        if let pointer {
            writer.name("pointer")
            writer.string(pointer)
        }
        switch named {
        case .one(nil): break
        case .one(let task?):
            writer.name("task")
            writer.task(task)
        case .several(let tasks):
            writer.name("tasks")
            writer.tasks(tasks)
        }
        writer.endObject()
        var response = Response(
            status: code.status, headers: ["Content-Type": "application/problem+json"],
            body: writer.bytes)
        if let version, version > 0 { response.headers["ETag"] = EntityTag.of(version) }
        if code == .unavailable { response.headers["Retry-After"] = "1" }
        return response
    }
}
