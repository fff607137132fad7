import CMicroHTTPD
import Glibc

/// One request and its response, from the request line to the last byte sent.
///
/// `@unchecked Sendable`: everything is touched by the loop's thread only; other threads call `resume`, which
/// puts the exchange into the loop's inbox.
final class Exchange: HTTPExchange, @unchecked Sendable {
    private enum Stage {
        case begun, receiving, discarding
        /// The request is complete, and the handler may have to be called again.
        case handling
        /// The response is to be sent.
        case answered
        case ended
    }

    let loop: EventLoop
    private let client: ClientConnection
    /// Set from dispatching on.
    private(set) var connection: OpaquePointer?
    /// Its place among the loop's suspended exchanges.
    var suspendedIndex = 0

    private var stage = Stage.begun
    private var target = HiddenQuery()
    /// Its body is empty until it is complete.
    private(set) var request = Request(
        method: .get, head: RequestHead(bytes: [], targetLength: 0, pathLength: 0), body: [])
    private var body: [UInt8] = []
    private var receivedBytes = 0
    /// What it takes of what the loop's bodies may take.
    private var countedBytes = 0
    /// The gate's answer.
    private var gateAnswer: Response?
    /// Why the body was not taken.
    private var failure: HTTPFailure?
    private var isHTTP10 = false
    /// How chunks are framed is not seen here. Where a proxy in front reads a frame otherwise, it takes
    /// another place for the request's end: nothing that follows a chunked body is served.
    private var isChunked = false
    var routeIndex: Int? { request.routeIndex }
    /// What the handler keeps from one call to the next.
    var state: AnyObject?
    private(set) var isTimeOver = false
    private var response: Response?
    /// The id that the client gave.
    private var requestID: String?
    /// When the loop took the complete request up, in nanoseconds of the monotonic clock.
    private var start = 0
    /// Set from queueing a stream's head until the stream has the socket.
    private var stream: EventStream?
    private var alarm: Alarm?
    /// The memory of a large answer, until it is sent.
    private var reservation: ResponseBudget.Reservation?
    init(loop: EventLoop, client: ClientConnection, target: UnsafePointer<CChar>?) {
        self.loop = loop
        self.client = client
        if let target { self.target = HiddenQuery(hiding: UnsafeMutablePointer(mutating: target)) }
    }

    /// Takes the next step that libmicrohttpd asks for: after the head, for each piece of the body,
    /// once the request is complete, and again once a suspended connection was resumed.
    func proceed(
        _ connection: OpaquePointer, _ line: RequestLine, data: UnsafePointer<CChar>?,
        dataCount: Int
    ) -> MHD_Result {
        switch stage {
        case .begun:
            stage = .receiving
            return readHead(connection, line)
        case .receiving, .discarding:
            if let data, dataCount > 0 { return receive(data, dataCount) }
            self.connection = connection
            return dispatch(connection)
        case .handling, .answered, .ended:
            // Without a response there is nothing to do but to close: only an exchange that has one is resumed.
            guard let response = response.take() else { return .NO }
            return send(response, on: connection)
        }
    }

    // MARK: Receiving

    /// What is refused here is answered in libmicrohttpd's first call, which closes the connection.
    private func readHead(_ connection: OpaquePointer, _ line: RequestLine) -> MHD_Result {
        let summary = loop.scanHead(connection, line, target.reveal(in: line.target))
        request = Request(
            method: HTTPMethod(rawValue: String(cString: line.method)), head: summary.head, body: []
        )
        request.client = client.address
        isHTTP10 = summary.isHTTP10
        isChunked = summary.isChunked
        requestID = summary.requestID
        start = loop.turnStart
        if let reason = summary.refusal {
            return refuse(.badRequest(reason: reason), connection)
        }
        gateAnswer = loop.gate?(&request)
        let limits = loop.limits
        if let length = summary.contentLength, length > limits.maximumBodyBytes {
            // A client that waits for leave, or sends more than is worth reading, hears it at once.
            if summary.expectsContinue
                || length - limits.maximumBodyBytes > limits.maximumDiscardedBytes
            {
                return refuse(tooLarge, connection)
            }
            discard(tooLarge)
        } else if gateAnswer != nil || request.principal.map({ $0.principalName == nil }) == true {
            discard(nil)
        } else if let length = summary.contentLength {
            // A promise only: memory is taken as the bytes arrive.
            body.reserveCapacity(min(length, 64 << 10))
        }
        return .YES
    }

    private func receive(_ data: UnsafePointer<CChar>, _ count: Int) -> MHD_Result {
        let limits = loop.limits
        receivedBytes += count
        if receivedBytes > limits.maximumBodyBytes {
            discard(tooLarge)
        } else if stage == .receiving, receivedBytes > EventLoop.Limits.smallBodyBytes,
            loop.bodiesBytes + count > limits.maximumBodiesBytes
        {
            discard(.tooManyBodies)
        }
        if stage == .discarding {
            // Closing here would reset the connection before the client has read the answer.
            let excess = receivedBytes - limits.maximumBodyBytes
            return excess > limits.maximumDiscardedBytes ? .NO : .YES
        }
        body.append(contentsOf: UnsafeRawBufferPointer(start: data, count: count))
        countedBytes += count
        loop.bodiesBytes += count
        return .YES
    }

    /// Keeps nothing of the body, whose end is waited for.
    private func discard(_ failure: HTTPFailure?) {
        stage = .discarding
        self.failure = failure
        body = []
        giveBackBodyBytes()
    }

    private func giveBackBodyBytes() {
        loop.bodiesBytes -= countedBytes
        countedBytes = 0
    }

    private var tooLarge: HTTPFailure {
        .bodyTooLarge(limitBytes: loop.limits.maximumBodyBytes)
    }

    // MARK: Answering, on the loop's thread

    private func dispatch(_ connection: OpaquePointer) -> MHD_Result {
        stage = .handling
        client.isAnswering()
        start = loop.turnStart
        if let failure { return refuse(failure, connection) }
        if loop.isClosing { return refuse(.unavailable, connection) }
        if let gateAnswer { return send(gateAnswer, on: connection) }
        swap(&request.body, &body)
        if !endsConnection, let ready = loop.readyAnswer(to: request) {
            request.routeIndex = loop.readyRoute
            return send(Response(ready), on: connection, isReady: true)
        }
        if let response = loop.router.begin(&request) { return send(response, on: connection) }
        let isHeld: Bool
        switch callHandler() {
        case .respond(let response): return send(response, on: connection)
        case .wait: isHeld = false
        case .hold: isHeld = true
        }
        loop.add(suspended: self, isHeld: isHeld)
        MHD_suspend_connection(connection)
        return .YES
    }

    private func callHandler() -> HandlerResult {
        let result = loop.router.handle(self)
        guard case .hold = result, loop.beginsHolding() else { return result }
        return loop.router.handle(self)
    }

    /// Calls the handler again.
    ///
    /// - Returns: nil if it has responded, so that the connection has to be resumed; else whether it waits for a
    ///   recheck.
    func handleAgain() -> Bool? {
        switch callHandler() {
        case .respond(let response):
            self.response = response
            stage = .answered
            return nil
        case .wait: return false
        case .hold: return true
        }
    }

    /// Whether the handler has not responded yet.
    var isWaiting: Bool { stage == .handling }

    /// Responds for a handler that the server can't wait for any longer.
    func giveUp() {
        state = nil
        response = render(.unavailable)
        stage = .answered
    }

    private var endsConnection: Bool { loop.willStop || isChunked }

    private func refuse(_ failure: HTTPFailure, _ connection: OpaquePointer) -> MHD_Result {
        send(render(failure), on: connection)
    }

    /// Every answer goes through here. It carries the request's id; but one that is kept, and shared as
    /// it is, only where the client gave an id or each request is told of.
    private func send(
        _ answer: Response, on connection: OpaquePointer, isReady: Bool = false
    ) -> MHD_Result {
        stage = .answered
        let answer = withinBudget(answer)
        let report = loop.report
        let nanoseconds = monotonicNanoseconds() - start
        let isReported = report?.isAbout(status: answer.status, nanoseconds: nanoseconds) == true
        let isShared = answer.prepared != nil && !endsConnection
        let id = requestID ?? (isReported || !isShared ? loop.makeRequestID() : nil)
        stream = answer.stream
        client.isSending(bytes: answer.bodyCount)
        let result =
            stream == nil
            ? answer.queue(
                on: connection, requestID: id, closing: endsConnection,
                isHeadOnly: request.method == .head)
            : answer.queueHead(
                on: connection, requestID: id, isHeadOnly: request.method == .head, reader: self)
        loop.recorder.count(
            answer, method: request.method, route: request.routeIndex, isReady: isReady,
            nanoseconds: nanoseconds
        )
        if isReported, let report, let id { report.tell(describe(answer, id, nanoseconds)) }
        return result
    }

    /// The answer; or, if it is large and there is no room for it, a refusal.
    private func withinBudget(_ answer: Response) -> Response {
        guard answer.bodyCount > ResponseBudget.smallBytes, request.method != .head else {
            return answer
        }
        let client =
            request.principal?.principalName.map { RateLimiter.Client.name($0) }
            ?? client.address.map { .network($0.network) }
        reservation = answer.reservation(in: loop.budget, for: client)
        if reservation != nil { return answer }
        return render(request.method == .get ? .tooManyResponses : .responseNotSent)
    }

    private func describe(_ answer: Response, _ id: String, _ nanoseconds: Int) -> AnsweredRequest {
        AnsweredRequest(
            id: id, method: request.method,
            path: String(decoding: request.head.path.prefix(Self.longestPathTold), as: UTF8.self),
            route: request.routeIndex.map { loop.router.routes[$0].pattern }, status: answer.status,
            refusal: answer.refusal, bodyBytes: answer.stream == nil ? answer.bodyCount : 0,
            seconds: Double(nanoseconds) / 1_000_000_000)
    }

    private static let longestPathTold = 512

    /// The head is sent: from here on the socket is the stream's, and libmicrohttpd is done with it.
    func beginStream() {
        guard let stream, let connection else { return }
        self.stream = nil
        loop.begin(stream, of: client, on: connection, isChunked: !isHTTP10)
    }

    /// libmicrohttpd has sent the response, or lost the client.
    func ended() {
        stage = .ended
        state = nil
        giveBackBodyBytes()
        reservation = nil
        client.ended()
        stream = nil
        if let alarm { loop.cancel(alarm) }
        alarm = nil
    }

    // MARK: For handlers

    /// From any thread.
    func resume() { loop.resume(self) }

    func resume(afterSeconds seconds: Double) {
        guard alarm == nil, let connection else { return }
        let alarm = Alarm(self)
        self.alarm = alarm
        loop.begin(alarm, seconds: seconds, on: connection)
    }

    /// The time that the handler asked for is over, or the client has left.
    func timeIsOver() {
        isTimeOver = true
        resume()
    }

    /// What is sent where the request does not come in time, as libmicrohttpd would send it.
    func lateAnswer() -> [UInt8] {
        var answer = render(.requestTimeout)
        answer.headers[RequestID.fieldName] = requestID ?? loop.makeRequestID()
        loop.recorder.count(
            answer, method: request.method, route: nil, isReady: false,
            nanoseconds: monotonicNanoseconds() - start)
        return answer.closingBytes
    }

    private func render(_ failure: HTTPFailure) -> Response {
        loop.router.response(to: failure, request)
    }
}
