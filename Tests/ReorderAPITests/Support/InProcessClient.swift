import Dispatch
import MicroHTTP
import Synchronization

/// Calls the router directly.
struct InProcessClient: APIClient {
    let router: Router

    func send(_ call: Call) throws -> APIAnswer {
        var fields = HeaderFields()
        for field in call.fields { fields.add(field.name, field.value) }
        let slot = Slot()
        router.handle(
            Request(
                method: HTTPMethod(rawValue: call.method), target: call.target, headers: fields,
                body: call.body),
            Responder { slot.fill($0) })
        let response = slot.wait()
        return APIAnswer(
            status: response.status, fields: response.headers.fields,
            body: call.method == "HEAD" ? [] : response.body)
    }

    private final class Slot: Sendable {
        private let response = Mutex(Response(status: 0))
        private let filled = DispatchSemaphore(value: 0)

        func fill(_ response: Response) {
            self.response.withLock { $0 = response }
            filled.signal()
        }

        func wait() -> Response {
            filled.wait()
            return response.withLock { $0 }
        }
    }
}
