import ReorderJSON

extension ReorderClient {
    /// Sends a request once.
    ///
    /// - Parameters:
    ///   - refusal: the error for a problem document of the server; nil: the usual one.
    ///   - read: reads the response of the documented form; throws if it has another form.
    /// - Throws: `unreachable`, also if something else than the server responded; `unauthorized`; the reason for which the server
    ///   refuses the request; `cancelled`; `closed` after signing out.
    func send<Value>(
        _ request: ClientRequest, refusal: (ServerProblem) -> ClientError? = { _ in nil },
        _ read: (Answer) throws -> Value
    ) async throws(ClientError) -> Value {
        guard !isSignedOut else { throw .closed }
        let answer = await answer(to: request)
        switch answer.action(for: .write, read) {
        case .done(let value): return value
        case .signIn: throw .unauthorized
        case .refuse(let problem): throw refusal(problem) ?? ClientError(problem)
        case .wait, .gone, .readAgain, .split: throw .afterWaiting(otherwise: .unreachable)
        }
    }

    /// The complete response to a request, or none.
    func answer(to request: ClientRequest) async -> Answer {
        var answer = Answer()
        for await event in events(of: request) {
            switch event {
            case .head(let status, let headers): (answer.status, answer.headers) = (status, headers)
            case .bytes(let bytes): answer.body += bytes
            case .end(isComplete: true): return answer
            case .end(isComplete: false): break
            }
        }
        return Answer()
    }

    private func events(of request: ClientRequest) -> AsyncStream<TransportEvent> {
        AsyncStream { continuation in
            let cancel = transport.start(request) { event in
                continuation.yield(event)
                if case .end = event { continuation.finish() }
            }
            continuation.onTermination = { if case .cancelled = $0 { cancel() } }
        }
    }
}

extension ClientRequest {
    /// A request with a JSON body.
    static func post(_ target: String, _ body: [UInt8]) -> ClientRequest {
        ClientRequest(
            method: "POST", target: target, headers: [("Content-Type", "application/json")],
            body: body)
    }

    static func post(
        _ target: String, _ members: [(name: String, value: String)]
    ) -> ClientRequest {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in members {
            writer.name(escaping: name)
            writer.string(value)
        }
        writer.endObject()
        return post(target, writer.bytes)
    }
}
