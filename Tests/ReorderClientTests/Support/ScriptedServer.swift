import Dispatch
import Synchronization

@testable import ReorderClient

/// A network with a server that has every list with the tasks a, b and c, and accepts every batch without applying it. Its event
/// streams send nothing after their heads.
final class ScriptedServer: Transport {
    private struct State {
        var requests: [ClientRequest] = []
        /// The status and body for a target that begins with this text.
        var answers: [String: (status: Int, body: String)] = [:]
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
    func answer(_ target: String, status: Int, body: String) {
        state.withLock { $0.answers[target] = (status, body) }
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
            let (status, body) = response(to: request)
            let isStream = status == 200 && request.target.hasSuffix("/events")
            let type = isStream ? "text/event-stream" : "application/json"
            handler(.head(status: status, headers: ["content-type": type]))
            guard !isStream else { return }
            handler(.bytes(Array(body.utf8)))
            handler(.end(isComplete: true))
        }
        return {}
    }

    private func response(to request: ClientRequest) -> (status: Int, body: String) {
        let scripted = state.withLock { state in
            state.answers.first { request.target.hasPrefix($0.key) }?.value
        }
        if let scripted { return scripted }
        guard request.method == "POST" else {
            let tasks = ["a", "b", "c"].map { #"{"id":"\#($0)","title":"\#($0)"}"# }
                .joined(separator: ",")
            return (200, #"{"id":"l","title":"","version":3,"tasks":[\#(tasks)]}"#)
        }
        let count = String(decoding: request.body, as: UTF8.self).matches(of: /"opId"/).count
        let results = Array(repeating: #"{"status":200}"#, count: count).joined(separator: ",")
        return (200, #"{"version":3,"results":[\#(results)]}"#)
    }
}
