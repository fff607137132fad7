import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with Foundation's URL session.
///
/// It uses a delegate, because only a delegate receives a stream's bytes as they arrive, on every
/// platform. On Linux, the process can crash if a session is invalidated while a request ends, or
/// if a task is cancelled that has just ended
/// (https://github.com/swiftlang/swift-corelibs-foundation/issues/3296). So the process has one
/// session for each configuration, which is never invalidated. A task is cancelled on the queue that reports its end, and
/// only if it has not ended.
final class URLSessionTransport: Transport {
    private let server: URL
    private let headers: [String: String]
    private let session: DelegatedSession

    /// - Parameter session: the session with the configuration and the delegate for authentication; nil: the process's own.
    init(server: URL, headers: [String: String], session: URLSession? = nil) {
        self.server = server
        self.headers = headers
        self.session = session.map { DelegatedSession(like: $0) } ?? .shared
    }

    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        let base = server.absoluteString.hasSuffix("/") ? 1 : 0
        guard let url = URL(string: server.absoluteString.dropLast(base) + request.target) else {
            session.queue.addOperation { handler(.end(isComplete: false)) }
            return {}
        }
        var message = URLRequest(url: url)
        message.httpMethod = request.method
        message.timeoutInterval = request.timeoutSeconds
        message.cachePolicy = .reloadIgnoringLocalCacheData
        for (name, value) in headers { message.setValue(value, forHTTPHeaderField: name) }
        for header in request.headers {
            message.setValue(header.value, forHTTPHeaderField: header.name)
        }
        if !request.body.isEmpty { message.httpBody = Data(request.body) }
        return session.start(message, handler)
    }
}

private final class DelegatedSession: NSObject, URLSessionDataDelegate, Sendable {
    private typealias Handler = @Sendable (TransportEvent) -> Void

    /// Serial, so that a request's events arrive in order.
    let queue: OperationQueue
    private let handlers = Lock<[Int: Handler]>([:])
    private let session = Lock<URLSession?>(nil)
    private let authentication: (any URLSessionDelegate)?

    static let shared = DelegatedSession(.ephemeral)

    /// A session with the same configuration, whose delegate answers authentication challenges.
    convenience init(like session: URLSession) {
        self.init(session.configuration, authentication: session.delegate)
    }

    private init(
        _ configuration: URLSessionConfiguration, authentication: (any URLSessionDelegate)? = nil
    ) {
        queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        self.authentication = authentication
        super.init()
        configuration.httpMaximumConnectionsPerHost = 256
        configuration.timeoutIntervalForResource = 7 * 24 * 60 * 60
        // No request uses a cache. With one, Foundation on Linux looks there before it starts a task, on
        // another queue: a task that is cancelled meanwhile can start after its end, which stops the
        // process. It would also keep the bytes of an event stream in memory until the stream ends.
        configuration.urlCache = nil
        let made = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        session.withLock { $0 = made }
    }

    func start(
        _ request: URLRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        let task = session.withLock { session in
            let task = session?.dataTask(with: request)
            if let task { handlers.withLock { $0[task.taskIdentifier] = handler } }
            return task
        }
        guard let task else { return {} }
        task.resume()
        return { [self] in queue.addOperation { [self] in cancel(task) } }
    }

    private func cancel(_ task: URLSessionTask) {
        if handlers.withLock({ $0[task.taskIdentifier] != nil }) { task.cancel() }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            var headers: [String: String] = [:]
            for (name, value) in response.allHeaderFields {
                headers["\(name)".lowercased()] = "\(value)"
            }
            deliver(dataTask, .head(status: response.statusCode, headers: headers))
        }
        completionHandler(.allow)
    }

    #if !canImport(Darwin)
        /// A task that was cancelled waits for no answer, and Foundation on Linux stops the process if it gets one. This runs on the
        /// queue that cancels tasks.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            completionHandler: @escaping (URLRequest?) -> Void
        ) {
            if task.state == .running { completionHandler(request) }
        }
    #endif

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Darwin)
            if let method = authentication?.urlSession(_:didReceive:completionHandler:) {
                return method(session, challenge, completionHandler)
            }
        #else
            if let authentication {
                return authentication.urlSession(
                    session, didReceive: challenge, completionHandler: completionHandler)
            }
        #endif
        completionHandler(.performDefaultHandling, nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        deliver(dataTask, .bytes(Array(data)))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let handler = handlers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        handler?(.end(isComplete: error == nil))
    }

    private func deliver(_ task: URLSessionTask, _ event: TransportEvent) {
        handlers.withLock { $0[task.taskIdentifier] }?(event)
    }
}
