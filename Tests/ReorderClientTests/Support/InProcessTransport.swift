import Dispatch
import Foundation
import MicroHTTP
import Synchronization

@testable import ReorderClient

/// Sends requests to a server in this process, without sockets. Each request has a thread of its own.
final class InProcessTransport: Transport {
    private let router: Router
    private let requests = Mutex<[InProcessRequest]>([])

    init(_ router: Router) { self.router = router }

    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        let running = InProcessRequest()
        requests.withLock { $0.append(running) }
        Thread.detachNewThread { [router] in
            running.deliver(router.respond(to: Request(request)), to: handler)
        }
        return { running.cancel() }
    }

    /// Ends all event streams.
    func stop() {
        for request in requests.withLock(\.self) { request.cancel() }
    }
}

private final class InProcessRequest: Wakeable {
    private let isCancelled = Atomic(false)
    private let woken = DispatchSemaphore(value: 0)

    func wake() { woken.signal() }

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        wake()
    }

    func deliver(_ response: Response, to handler: (TransportEvent) -> Void) {
        let headers = response.headers.fields.map { ($0.name.lowercased(), $0.value) }
        handler(
            .head(
                status: response.status,
                headers: Dictionary(headers, uniquingKeysWith: { first, _ in first })))
        if let stream = response.stream {
            deliver(stream, to: handler)
        } else {
            handler(.bytes(response.body))
        }
        handler(.end(isComplete: !isCancelled.load(ordering: .relaxed)))
    }

    private func deliver(_ stream: EventStream, to handler: (TransportEvent) -> Void) {
        let watch: any Sendable = stream.topic.watch(onNews: wake)
        defer { withExtendedLifetime(watch) {} }
        var source = stream.source
        while !isCancelled.load(ordering: .relaxed) {
            switch source.next(self) {
            case .bytes(let bytes): handler(.bytes(Array(bytes.text)))
            case .nothing: woken.wait()
            case .end: return
            }
        }
    }
}

extension Request {
    init(_ request: ClientRequest) {
        var fields = HeaderFields()
        for field in request.headers { fields.add(field.name, field.value) }
        self.init(
            method: HTTPMethod(rawValue: request.method), target: request.target, headers: fields,
            body: request.body)
    }
}
