import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

/// How to render the response to a write.
///
/// A class, because it is passed through many functions, and each copy of its parts would be counted.
package final class WriteRendering: WriteRenderer {
    enum Body {
        /// `list`, `version`, `changed`, and the command's result.
        case written
        /// No body: 204.
        case none
        /// The task in the form of a table view's element.
        case element
    }

    let body: Body
    /// The path of the resource that the request creates.
    let location: String?
    /// Whether the request can also replace an existing resource.
    let isReplacement: Bool
    let isDryRun: Bool
    /// Whether the client prefers a short response (`Prefer: return=minimal`): only versions and new ids.
    let isMinimal: Bool
    /// Whether the request named a task. Then the response has the task's entity tag.
    let isToTask: Bool
    /// The ops of a batch.
    let ops: BatchOps
    /// The result to return instead of the one of the write.
    let shownResult: CommandResult?
    /// The line of a task, if the body is a list in lines (`ListUpload`).
    let lineOfTask: (@Sendable (TaskID) -> Int?)?
    let tags: EntityTags

    init(
        _ tags: EntityTags, _ request: Request, body: Body = .written,
        created location: String? = nil, isReplacement: Bool = false, isDryRun: Bool = false,
        isToTask: Bool = false, ops: BatchOps = BatchOps(),
        showing shownResult: CommandResult? = nil,
        lineOfTask: (@Sendable (TaskID) -> Int?)? = nil
    ) {
        self.tags = tags
        isMinimal = request.prefersMinimal
        self.body = body
        self.location = location
        self.isReplacement = isReplacement
        self.isDryRun = isDryRun
        self.isToTask = isToTask
        self.ops = ops
        self.shownResult = shownResult
        self.lineOfTask = lineOfTask
    }

    package func bytes(of result: Result<WriteResult, ServiceError>, withTasks: Bool) -> [UInt8] {
        switch result {
        case .success(let answer): return response(to: answer, withTasks: withTasks).stored
        case .failure(let error):
            var problem = problem(error)
            if !withTasks { problem.named = .one(nil) }
            return problem.response(tags).stored
        }
    }

    package func bytes(
        of result: Result<CommandResult, ServiceError>, at index: Int, withTasks: Bool
    ) -> [UInt8] {
        var writer = JSONWriter()
        // Complete, because another batch with the same op may prefer that.
        writer.batchResult(
            result, at: index, of: ops, withPointer: false,
            ResultMembers(withTasks: withTasks, isMinimal: false))
        return writer.bytes
    }

    /// The problem of an error. If an id of the body is in use, the problem names its line.
    func problem(_ error: ServiceError) -> Problem {
        var problem = Problem(error, in: ops)
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
        case .result(let answer): return response(to: answer)
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

    private func members(withTasks: Bool) -> ResultMembers {
        ResultMembers(withTasks: withTasks, isMinimal: isMinimal)
    }

    private func response(to answer: WriteResult, withTasks: Bool = true) -> Response {
        var response = content(of: answer, withTasks: withTasks)
        if isMinimal { response.applyMinimal() }
        return response
    }

    private func content(of answer: WriteResult, withTasks: Bool) -> Response {
        let tag =
            isToTask ? tags.task(answer.version, in: answer.list) : tags.list(answer.version)
        var writer = JSONWriter()
        // A PUT that replaces an existing list creates nothing.
        var newResource = answer.created || !isReplacement ? location : nil
        switch (body, answer.result) {
        case (.none, _): return Response(status: 204, headers: ["ETag": tag])
        case (.element, .element(let task?, let isNew)):
            if isNew { newResource = "/tasks/\(task.id)" }
            guard !isMinimal else { break }
            writer.element(task, of: answer.list)
            return response(tag: tag, newResource, writer.takeBytes())
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
        writer.commandResult(
            shownResult ?? answer.result, ops: ops, members(withTasks: withTasks))
        writer.endObject()
        return response(tag: isDryRun ? nil : tag, newResource, writer.takeBytes())
    }

    private func response(tag: String?, _ newResource: String?, _ body: [UInt8]) -> Response {
        .json(
            status: newResource == nil ? 200 : 201, tag: tag,
            headers: newResource.map { ["Location": $0] } ?? [:], body)
    }
}
