import Synchronization

@testable import ReorderClient

/// A network that remembers the requests.
final class RecordingTransport: Transport {
    private let base: any Transport
    private let requests = Mutex<[String]>([])

    init(_ base: any Transport) { self.base = base }

    /// The requests: method, target and body.
    var sent: [String] { requests.withLock(\.self) }

    func hasSent(_ start: String) -> Bool { sent.contains { $0.hasPrefix(start) } }

    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        let body = String(decoding: request.body, as: UTF8.self)
        requests.withLock { $0.append("\(request.method) \(request.target) \(body)") }
        return base.start(request, handler)
    }
}
