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
    /// What a client has to show to be let in (`WWW-Authenticate`).
    var challenge: String?
    /// The tasks that the request named, as they are now.
    var named = NamedTasks.one(nil)
    /// Whether an op of the batch was refused in an earlier request, and for that reason now.
    var isReplayed = false

    init(_ code: ProblemCode, _ detail: String, version: Int? = nil, pointer: String? = nil) {
        self.code = code
        self.detail = detail
        self.version = version
        self.pointer = pointer
    }

    /// - Parameter tags: of the store; they count only where the problem has `version`.
    func response(_ tags: EntityTags = EntityTags(epoch: nil)) -> Response {
        var writer = JSONWriter()
        writer.problem(self)
        var response = Response(
            status: code.status,
            // What is not there now, or gone, may come: no cache may say otherwise by itself.
            headers: ["Content-Type": "application/problem+json", "Cache-Control": "no-store"],
            body: writer.bytes)
        response.refusal = code.rawValue
        if let version, version > 0 { response.headers["ETag"] = tags.list(version) }
        if let challenge { response.headers["WWW-Authenticate"] = challenge }
        if code.status == 503 { response.headers["Retry-After"] = "1" }
        return response
    }
}

extension JSONWriter {
    mutating func problem(_ problem: Problem) {
        beginObject()
        name("type")
        string("urn:reorderd:problem:\(problem.code.rawValue)")
        name("title")
        string(problem.code.title)
        name("status")
        int(problem.code.status)
        name("detail")
        string(problem.detail)
        name("code")
        string(problem.code.rawValue)
        if let version = problem.version {
            name("version")
            int(version)
        }
        if let pointer = problem.pointer {
            name("pointer")
            string(pointer)
        }
        if problem.isReplayed {
            name("replayed")
            bool(true)
        }
        named(problem.named)
        endObject()
    }
}
