import Synchronization

@testable import MicroHTTP

/// Keeps what responders are given.
final class Answers: Sendable {
    private let responses = Mutex<[Response]>([])

    var all: [Response] { responses.withLock { $0 } }
    var texts: [String] { all.map { String(decoding: $0.body, as: UTF8.self) } }

    func responder() -> Responder {
        Responder { response in self.responses.withLock { $0.append(response) } }
    }
}
