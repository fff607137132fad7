import Foundation
import ReorderEngine
import ReorderJSON

/// A call of the server's API, which is sent once.
struct APICall<Value> {
    let method: String
    /// The parts of the path: ids, and names that need no escaping either.
    let path: [String]
    /// The parameters, percent-encoded.
    var query: [String] = []
    var headers: [(name: String, value: String)] = []
    /// The refusals that are errors of their own: see `ClientError.init(_:refusals:)`.
    var refusals: [Refusal] = []
    /// Writes the members of the body; nil for no body.
    var form: ((inout JSONWriter) -> Void)?
    /// Reads a response of the documented form; throws if it has another form.
    let read: (Answer) throws -> Value

    var request: ClientRequest {
        let query = query.isEmpty ? "" : "?" + query.joined(separator: "&")
        var request = ClientRequest(
            method: method, target: "/" + path.joined(separator: "/") + query, headers: headers)
        if let form {
            request.headers.append(ClientRequest.json)
            request.body = JSONWriter.object(form)
        }
        return request
    }
}

extension ReorderClient {
    /// Sends a call once.
    ///
    /// - Parameter lists: what waits in these lists, if they are open, is sent first, because the call depends on it.
    /// - Throws: `invalid` if an id in the path is malformed; `unreachable`, also if something else than the server responded, or
    ///   something still waits; `unauthorized`; the reason for which the server refuses the call; `cancelled`; `closed` after signing out.
    func send<Value>(
        _ call: APICall<Value>, flushing lists: [String] = []
    ) async throws(ClientError) -> Value {
        for part in call.path { try InputValidation.id(part) }
        try await flush(lists)
        guard !isSignedOut else { throw .closed }
        let answer = await answer(to: call.request)
        switch answer.action(for: .write, call.read) {
        case .done(let value): return value
        case .signIn: throw .unauthorized
        case .refuse(let problem): throw ClientError(problem, refusals: call.refusals)
        case .wait, .gone, .readAgain, .split: throw .afterWaiting(otherwise: .unreachable)
        }
    }

    /// The items of all pages of a resource, at most `limit` of them.
    ///
    /// - Parameters:
    ///   - member: the member with the items.
    ///   - query: further parameters, percent-encoded.
    func items<Item>(
        of path: [String], _ member: StaticString, query: [String] = [], limit: Int = .max,
        pageLimit: Int = 1_000, _ read: @escaping (inout JSONReader) throws(JSONTypeError) -> Item
    ) async throws(ClientError) -> [Item] {
        var items: [Item] = []
        var cursor: String?
        repeat {
            var query = query + ["limit=\(min(pageLimit, limit - items.count))"]
            if let cursor { query.append("cursor=\(cursor.inQuery)") }
            let page = try await send(
                APICall(method: "GET", path: path, query: query) {
                    try ResponsePage(json: $0.body, items: member, read)
                })
            items += page.items
            cursor = page.cursor
        } while cursor != nil && items.count < limit
        return items
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

extension String {
    /// The text in a query of a URL.
    var inQuery: String { addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
}
