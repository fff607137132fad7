import CMicroHTTPD
import Glibc
import Synchronization

/// One request and its answer, from the request line to the last byte sent.
///
/// `@unchecked Sendable`: `response` is written by the one thread that set `claimed` and read by the
/// loop after it saw `ready`; every other variable is touched by the loop's thread only.
final class Exchange: @unchecked Sendable {
    private enum Stage {
        case begun, receiving, discarding, dispatched
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
    private var request = Request(
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
    /// The route that was taken, among the router's; `nil` where there is none.
    var route: Int?
    /// The id that the client gave.
    private var requestID: String?
    /// When the loop took the complete request up, in nanoseconds of the monotonic clock.
    private var start = 0
    /// Set from queueing a stream's head until the stream has the socket.
    private var stream: EventStream?
    private var alarm: Alarm?
    /// The memory of a large answer, until it is sent.
    private var reservation: ResponseBudget.Reservation?
    private var hasEnded = false

    private let flags = Atomic<UInt8>(0)
    private var response: (@Sendable () -> Response)?

    private static let claimed: UInt8 = 1
    private static let ready: UInt8 = 2
    private static let suspended: UInt8 = 4

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
        case .dispatched:
            return queueAnswer(connection)
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
        } else if gateAnswer != nil || request.sender.map({ $0.senderName == nil }) == true {
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
        stage = .dispatched
        client.isAnswering()
        start = loop.turnStart
        if let failure { return refuse(failure, connection) }
        if loop.isClosing { return refuse(.unavailable, connection) }
        if let gateAnswer { return answerNow(gateAnswer, connection) }
        let request = takeRequest()
        if !endsConnection, let ready = loop.readyAnswer(to: request) {
            route = loop.readyRoute
            return send(Response(ready), on: connection, isReady: true)
        }
        loop.router.route(consume request, Responder(self))
        let flags = flags.bitwiseOr(Self.suspended, ordering: .acquiringAndReleasing).oldValue
        if flags & Self.ready != 0 { return queueAnswer(connection) }
        // The answer may be in the loop's inbox by now: the loop takes it after this call.
        loop.add(suspended: self)
        MHD_suspend_connection(connection)
        return .YES
    }

    /// The request with its body, which is complete.
    private func takeRequest() -> Request {
        var whole = request
        swap(&whole.body, &body)
        return whole
    }

    private var endsConnection: Bool { loop.willStop || isChunked }

    private func refuse(_ failure: HTTPFailure, _ connection: OpaquePointer) -> MHD_Result {
        answerNow(render(failure), connection)
    }

    private func answerNow(_ response: Response, _ connection: OpaquePointer) -> MHD_Result {
        flags.bitwiseOr(Self.claimed | Self.ready, ordering: .relaxed)
        return send(response, on: connection)
    }

    private func queueAnswer(_ connection: OpaquePointer) -> MHD_Result {
        // Without an answer there is nothing to do but to close: it can't happen.
        guard let response else { return .NO }
        self.response = nil
        return send(response(), on: connection)
    }

    /// Every answer goes through here. It carries the request's id; but one that is kept, and shared as
    /// it is, only where the client gave an id or each request is told of.
    private func send(
        _ answer: Response, on connection: OpaquePointer, isReady: Bool = false
    ) -> MHD_Result {
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
        loop.tally.count(
            answer, method: request.method, route: route, isReady: isReady, nanoseconds: nanoseconds
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
            request.sender?.senderName.map { RateLimiter.Client.name($0) }
            ?? client.address.map { .network($0.network) }
        reservation = answer.reservation(in: loop.budget, for: client)
        if reservation != nil { return answer }
        return render(request.method == .get ? .tooManyResponses : .responseNotSent)
    }

    private func describe(_ answer: Response, _ id: String, _ nanoseconds: Int) -> AnsweredRequest {
        AnsweredRequest(
            id: id, method: request.method,
            path: String(decoding: request.head.path.prefix(Self.longestPathTold), as: UTF8.self),
            route: route.map { loop.router.routes[$0].pattern }, status: answer.status,
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

    /// Returns false where the answer came first.
    func take(_ alarm: Alarm) -> Bool {
        guard !hasEnded else { return false }
        self.alarm = alarm
        return true
    }

    /// libmicrohttpd has sent the answer, or lost the client.
    func ended() {
        hasEnded = true
        giveBackBodyBytes()
        reservation = nil
        client.ended()
        stream = nil
        if let alarm { loop.cancel(alarm) }
        alarm = nil
    }

    // MARK: Answering, on any thread

    /// Takes the answer, if it is the first. Returns whether the loop must be told to resume.
    func answer(_ response: @escaping @Sendable () -> Response) -> Bool {
        let before = flags.bitwiseOr(Self.claimed, ordering: .relaxed).oldValue
        guard before & Self.claimed == 0 else { return false }
        self.response = response
        let flags = flags.bitwiseOr(Self.ready, ordering: .acquiringAndReleasing).oldValue
        return flags & Self.suspended != 0
    }

    /// Answers for a handler that let go of its responder.
    func abandon() {
        guard flags.load(ordering: .relaxed) & Self.claimed == 0 else { return }
        let response = render(.internalError)
        if answer({ response }) { loop.resume(self) }
    }

    /// Answers for a server that can't wait any longer. Returns false where the handler was first.
    func giveUp() -> Bool {
        let response = render(.unavailable)
        return answer { response }
    }

    /// What is sent where the request does not come in time, as libmicrohttpd would send it.
    func lateAnswer() -> [UInt8] {
        var answer = render(.requestTimeout)
        answer.headers[RequestID.fieldName] = requestID ?? loop.makeRequestID()
        loop.tally.count(
            answer, method: request.method, route: nil, isReady: false,
            nanoseconds: monotonicNanoseconds() - start)
        return answer.closingBytes
    }

    private func render(_ failure: HTTPFailure) -> Response {
        loop.router.response(to: failure, request)
    }
}
