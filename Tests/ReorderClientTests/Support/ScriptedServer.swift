import Dispatch
import Synchronization

@testable import ReorderClient

/// A network with a server that has every list with the tasks a, b and c, and accepts every batch without applying it. Its event
/// streams send nothing after their first event.
final class ScriptedServer: Transport {
    private struct State {
        var requests: [ClientRequest] = []
        /// The answers to targets that begin with this text.
        var answers: [String: Answer] = [:]
        var isCut = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "scripted server")

    /// The targets of the requests until now.
    var targets: [String] { state.withLock { $0.requests.map(\.target) } }

    /// Whether all requests fail.
    var isCut: Bool {
        get { state.withLock(\.isCut) }
        set { state.withLock { $0.isCut = newValue } }
    }

    /// Sets the response to requests whose target begins with a text.
    func answer(_ target: String, _ answer: Answer) {
        state.withLock { $0.answers[target] = answer }
    }

    func answer(_ target: String, body: String) {
        answer(target, Answer(status: 200, body: Array(body.utf8)))
    }

    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        let isCut = state.withLock { state in
            state.requests.append(request)
            return state.isCut
        }
        queue.async { [self] in
            guard !isCut else { return handler(.end(isComplete: false)) }
            let answer = answer(to: request)
            handler(.head(status: answer.status, headers: answer.headers))
            guard !answer.isEventStream else {
                return handler(.bytes(Array("event: hello\ndata: {\"version\":3}\n\n".utf8)))
            }
            handler(.bytes(answer.body))
            handler(.end(isComplete: true))
        }
        return {}
    }

    private func answer(to request: ClientRequest) -> Answer {
        let scripted = state.withLock { state in
            state.answers.first { request.target.hasPrefix($0.key) }?.value
        }
        if let scripted { return scripted }
        if request.target.hasSuffix("/events") {
            return Answer(status: 200, headers: ["content-type": "text/event-stream"])
        }
        // A client whose streams were silent for long, because the machine is busy, polls.
        if request.target.contains("/changes?since=") {
            return Answer(
                status: 200, body: Array(#"{"version":3,"changes":[],"more":false}"#.utf8))
        }
        guard request.method == "POST" else {
            let tasks = ["a", "b", "c"].map { #"{"id":"\#($0)","title":"\#($0)"}"# }
                .joined(separator: ",")
            let list = request.target.split(separator: "/").last ?? ""
            let body = #"{"id":"\#(list)","title":"","version":3,"tasks":[\#(tasks)]}"#
            return Answer(status: 200, body: Array(body.utf8))
        }
        let count = String(decoding: request.body, as: UTF8.self).matches(of: /"opId"/).count
        let results = Array(repeating: #"{"status":200}"#, count: count).joined(separator: ",")
        return Answer(status: 200, body: Array(#"{"version":3,"results":[\#(results)]}"#.utf8))
    }
}
