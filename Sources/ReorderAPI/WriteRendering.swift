import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

/// How to render the response to a write.
struct WriteRendering: WriteRenderer {
    enum Body {
        /// `list`, `version`, `changed`, and the command's result.
        case written
        /// No body: 204.
        case none
        /// The task in the form of a table view's element.
        case element
    }

    var body = Body.written
    /// The path of the resource that the request creates.
    var location: String?
    /// Whether the request can also replace an existing resource.
    var isReplacement = false
    var isDryRun = false
    /// Whether the request named a task. Then the response has the task's entity tag.
    var isToTask = false
    /// The ops of a batch.
    var ops: [BatchBody.Op] = []
    /// The result to return instead of the one of the write.
    var shownResult: CommandResult?
    /// The line of a task, if the body is a list in lines (`ListUpload`). A closure, because each
    /// request copies this value, and copying an absent list takes time.
    var lineOfTask: (@Sendable (TaskID) -> Int?)?
    let tags: EntityTags

    init(
        _ tags: EntityTags, body: Body = .written, created location: String? = nil,
        isDryRun: Bool = false, isToTask: Bool = false, ops: [BatchBody.Op] = []
    ) {
        self.tags = tags
        self.body = body
        self.location = location
        self.isDryRun = isDryRun
        self.isToTask = isToTask
        self.ops = ops
    }

    func bytes(of result: Result<WriteResult, ServiceError>, withTasks: Bool) -> [UInt8] {
        switch result {
        case .success(let answer): return response(to: answer, withTasks: withTasks).stored
        case .failure(let error):
            var problem = problem(error)
            if !withTasks { problem.named = .one(nil) }
            return problem.response(tags).stored
        }
    }

    func bytes(
        of result: Result<CommandResult, ServiceError>, at index: Int, withTasks: Bool
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.batchResult(result, of: ops[index], index: nil, withTasks: withTasks)
        return writer.bytes
    }

    /// The problem of an error. If an id of the body is in use, the problem names its line.
    func problem(_ error: ServiceError) -> Problem {
        var problem = Problem(error)
        guard let lineOfTask else { return problem }
        switch error {
        case .listTaken: problem.name(line: 1)
        case .taskTaken(let task):
            guard let line = lineOfTask(task) else { break }
            problem.name(line: line)
            problem.pointer = "/id"
        default: break
        }
        return problem
    }

    /// - Throws: the problem of an error.
    func response(to outcome: Result<WriteOutcome, ServiceError>) throws(Problem) -> Response {
        switch outcome {
        case .success(let outcome): return response(to: outcome)
        case .failure(let error): throw problem(error)
        }
    }

    func response(to outcome: WriteOutcome) -> Response {
        switch outcome {
        case .done(let answer): return response(to: answer)
        case .stored(let bytes, let result):
            var response = stored(bytes)
            if case .failure(let error) = result { response.refusal = problem(error).code.rawValue }
            return response
        case .replayed(let bytes):
            var response = stored(bytes)
            response.headers["Idempotent-Replay"] = "true"
            return response
        }
    }

    private func stored(_ bytes: [UInt8]) -> Response {
        Response(stored: bytes)
            ?? Problem(.internalError, "The stored response can't be read.").response()
    }

    private func response(to answer: WriteResult, withTasks: Bool = true) -> Response {
        let tag =
            isToTask ? tags.task(answer.version, in: answer.list) : tags.list(answer.version)
        var writer = JSONWriter()
        switch (body, answer.result) {
        case (.none, _): return Response(status: 204, headers: ["ETag": tag])
        case (.element, .element(let task?, let isNew)):
            writer.element(task, of: answer.list)
            return .json(
                status: isNew ? 201 : 200, tag: tag,
                headers: isNew ? ["Location": "/tasks/\(task.id)"] : [:], writer.bytes)
        default: break
        }
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
        writer.commandResult(shownResult ?? answer.result, ops: ops, withTasks: withTasks)
        writer.endObject()
        // A PUT that replaces an existing list creates nothing.
        let isNew = location != nil && (answer.created || !isReplacement)
        return .json(
            status: isNew ? 201 : 200, tag: isDryRun ? nil : tag,
            headers: isNew ? location.map { ["Location": $0] } ?? [:] : [:], writer.takeBytes())
    }
}
