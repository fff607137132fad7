import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

/// A problem document (RFC 9457): why a request failed.
struct Problem: Error {
    var code: ProblemCode
    /// One or two sentences for people, without internal details.
    var detail: String
    /// The list's current version, if clients need it.
    var version: Int?
    /// A JSON Pointer to the fault in the body, or in its line.
    var pointer: String?
    /// The line of the fault, from 1, if the body has lines.
    var line: Int?
    /// The list of an imported file that the problem is about.
    var list: String?
    /// The names of an imported table's columns, and a proposal for them as values of the parameter `column`.
    var header: [String] = []
    var columns: [String] = []
    /// The credentials that the client must send (`WWW-Authenticate`).
    var challenge: String?
    /// The current state of the tasks that the request named; `.one(nil)` if there are none.
    var named = NamedTasks.one(nil)
    /// Whether an earlier request sent the same op, and this is the stored result of that request.
    var isReplayed = false

    init(_ code: ProblemCode, _ detail: String, version: Int? = nil, pointer: String? = nil) {
        self.code = code
        self.detail = detail
        self.version = version
        self.pointer = pointer
    }

    /// - Parameter tags: used for the `ETag` if the problem has a `version`.
    func response(_ tags: EntityTags? = nil) -> Response {
        var writer = JSONWriter()
        writer.problem(self)
        var response = Response(
            status: code.status,
            // A missing resource can be created later. So caches must not store this response.
            headers: ["Content-Type": "application/problem+json", "Cache-Control": "no-store"],
            body: writer.bytes)
        response.refusal = code.rawValue
        if let version, version > 0, let tags { response.headers["ETag"] = tags.list(version) }
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
        if let line = problem.line {
            name("line")
            int(line)
        }
        if let list = problem.list {
            name("list")
            string(list)
        }
        strings("header", problem.header)
        strings("columns", problem.columns)
        if problem.isReplayed {
            name("replayed")
            bool(true)
        }
        named(problem.named)
        endObject()
    }

    private mutating func strings(_ member: StaticString, _ strings: [String]) {
        guard !strings.isEmpty else { return }
        name(member)
        beginArray()
        for text in strings { string(text) }
        endArray()
    }
}
