import ReorderJSON

/// The response to a request, whoever sent it: the server, or something on the way to it.
struct Answer: Sendable {
    /// 0: there is no complete response.
    var status = 0
    /// By their names in lower case.
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    /// What a request is for.
    enum Purpose: Sendable {
        /// The document or the changes of a list.
        case read
        /// A call of its own, which is sent once.
        case write
        /// A batch of this number of waiting steps.
        case steps(Int)
        /// The event stream of a list.
        case stream
    }

    /// What the client does.
    enum Action<Value> {
        /// It uses what the server has sent.
        case done(Value)
        /// It keeps everything, and sends the same request again after a pause. A call fails as unreachable.
        case wait
        /// It keeps everything, and tries again later or with another token.
        case signIn
        /// The list does not exist now; what waits is kept, because the list can come back.
        case gone
        /// It fetches the document.
        case readAgain
        /// It sends this number of steps, from the first one, as a batch.
        case split(Int)
        /// The first step, or the call, is refused.
        case refuse(ServerProblem)
    }

    /// The table of docs/sync.md. Only documents of the server decide about data. Any other answer means "later".
    ///
    /// - Parameter read: reads a response of the documented form; throws if it has another form.
    func action<Value>(
        for purpose: Purpose, _ read: (Answer) throws -> Value
    ) -> Action<Value> {
        if 200..<300 ~= status { return (try? read(self)).map { .done($0) } ?? .wait }
        guard let problem else {
            if case .steps(let count) = purpose, status == 413, count > 1 {
                return .split((count + 1) / 2)
            }
            return .wait
        }
        switch (status, purpose) {
        case (401, _): return .signIn
        case (408, _), (425, _), (429, _), (500..., _): return .wait
        case (409, _) where problem.code == "request_in_progress": return .wait
        case (_, .write): return .refuse(problem)
        case (403, _): return .signIn
        case (404, _) where problem.code == "list_not_found": return .gone
        case (410, _): return .readAgain
        case (400, .steps(let count)), (413, .steps(let count)), (422, .steps(let count)):
            let faulty = problem.step.flatMap { $0 < count ? $0 : nil }
            if count == 1 || faulty == 0 { return .refuse(problem) }
            return .split(faulty ?? (count + 1) / 2)
        default: return .wait
        }
    }

    /// The problem document, if the server has sent one: a proxy's page has another type or form.
    var problem: ServerProblem? {
        guard status >= 400, mediaType == "application/problem+json",
            let problem = try? ServerProblem(json: body), problem.status == status
        else { return nil }
        return problem
    }

    /// Whether the answer is an event stream.
    var isEventStream: Bool { status == 200 && mediaType == "text/event-stream" }

    private var mediaType: String? {
        headers["content-type"].map { type in
            type.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        }
    }

    /// The delay requested by the server, in seconds. A date is ignored.
    var retryAfter: Double? { headers["retry-after"].flatMap { Double($0) }.map { max(0, $0) } }

    private struct UnexpectedContent: Error {}

    /// - Throws: if the response is not the documented one without content.
    func expectNoContent() throws {
        guard status == 204 else { throw UnexpectedContent() }
    }

    /// The version in a response about a list.
    func version() throws -> Int {
        try JSONReader.value(of: "version", in: body) { reader throws(JSONTypeError) in
            try reader.readCount()
        }
    }

    /// The version of a change in a response; nil if nothing has changed.
    func changedVersion() throws -> Int? {
        let version = try version()
        return try JSONReader.value(of: "changed", in: body) { reader throws(JSONTypeError) in
            try reader.readBool() ? version : nil
        }
    }
}

/// The members of a problem document that the client uses.
struct ServerProblem: Sendable, Equatable {
    var status = 0
    var code = ""
    /// One sentence in English.
    var detail = ""
    /// The place of the error in the request's body.
    var pointer: String?
    /// The list's version, if the list itself is the reason.
    var version: Int?

    init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Reads a problem document.
    init(json: [UInt8]) throws {
        var reader = try JSONReader(answer: json)
        try self.init(from: &reader)
    }

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var code: String?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "status": status = try reader.readInt()
            case "code": code = try reader.readString()
            case "detail": detail = try reader.readString()
            case "pointer": pointer = try reader.readString()
            case "version": version = try reader.readCount()
            default: reader.skip()
            }
        }
        guard let code else { throw reader.missingMember("code") }
        self.code = code
    }

    /// The index of the step in a pointer such as `/steps/2/1`.
    var step: Int? {
        let path = pointer?.split(separator: "/") ?? []
        return path.count > 1 && path[0] == "steps" ? Int(path[1]) : nil
    }
}
