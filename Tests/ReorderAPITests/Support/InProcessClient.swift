import Dispatch
import MicroHTTP
import Waiting

/// Calls the router directly.
struct InProcessClient: APIClient {
    let router: Router

    func send(_ call: APIRequest) throws -> APIResponse {
        var answer = answer(try respond(call), to: call)
        try answer.decompress()
        return answer
    }

    func fresh() -> any APIClient { self }

    func open(_ call: APIRequest) throws -> any EventReader {
        let response = try respond(call)
        return Reader(answer(response, to: call), response.stream)
    }

    private func answer(_ response: Response, to call: APIRequest) -> APIResponse {
        APIResponse(
            status: response.status, fields: response.headers.fields.map { ($0.name, $0.value) },
            body: call.method == "HEAD" ? [] : response.body)
    }

    private func respond(_ call: APIRequest) throws -> Response {
        var fields = HeaderFields()
        for field in call.fields { fields.add(field.name, field.value) }
        return router.respond(
            to: Request(
                method: HTTPMethod(rawValue: call.method), target: call.target, headers: fields,
                body: call.body))
    }

    /// Reads a stream as an event loop does.
    private final class Reader: EventReader {
        let answer: APIResponse
        private var source: (any EventSource)?
        private var text = EventText()
        private let bell = Bell()
        private let watch: (any Sendable)?

        init(_ answer: APIResponse, _ stream: EventStream?) {
            self.answer = answer
            source = stream?.source
            watch = stream?.topic.watch(onNews: bell.wake)
        }

        func next() throws -> StreamedEvent? {
            while true {
                if let event = text.next() { return event }
                guard let piece = source?.next(bell) else { return nil }
                switch piece {
                case .bytes(let bytes): text.append(bytes.text)
                case .nothing: try bell.wait()
                case .end: source = nil
                }
            }
        }
    }
}

/// Waits for the news of a stream.
final class Bell: Wakeable {
    private let rung = DispatchSemaphore(value: 0)
    func wake() { rung.signal() }
    func wait() throws { try rung.waitForSignal() }
}
