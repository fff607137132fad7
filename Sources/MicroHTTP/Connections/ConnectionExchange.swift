import CMicroHTTPD
import Glibc

/// One request and its response, from the request line to the last byte sent. A connection uses the same object for
/// its requests, one after the other, unless a handler still uses it.
///
/// `@unchecked Sendable`: only the loop's thread uses it. Other threads only call `resume`, which
/// puts the exchange into the loop's inbox, and read the request while they run its handler. For
/// speed (80 instructions an access), overlapping accesses to the properties that each request uses
/// are not detected at run time.
final class ConnectionExchange: HTTPExchange, @unchecked Sendable {
    enum Stage {
        case begun, receiving, discarding
        /// The body's reader reads a slice, and the connection is suspended.
        case reading
        /// The request is complete, and the handler may have to be called again.
        case handling
        /// The response is to be sent.
        case answered
        case ended
    }

    let loop: EventLoop
    let client: ClientConnection
    /// Set when the request is dispatched, or its body's reader gets its first slice.
    var connection: OpaquePointer?
    /// The index among the loop's suspended exchanges.
    var suspendedIndex = 0

    var stage = Stage.ended
    /// When the request line arrived, in nanoseconds of the monotonic clock.
    private var begunAt = 0
    private var target = MaskedQuery()
    @exclusivity(unchecked) var request = Request()
    var receivedBytes = 0
    /// The bytes of this exchange in the loop's `bodiesBytes`.
    var countedBytes = 0
    /// Decompresses the body; nil before its first bytes, and if it is not compressed.
    var decoder: GzipDecoder?
    /// The state of a body that is read while it arrives; nil: the body is kept as a whole.
    var streaming: BodyStreaming?
    /// The response of the middleware, if it refuses the request.
    private var earlyResponse: Response?
    /// Why the body was refused.
    var failure: HTTPFailure?
    private var isHTTP10 = false
    /// Whether the body is chunked. libmicrohttpd reads the chunks, and a proxy in front may see
    /// the body end at another place. So the connection ends after this request.
    private var isChunked = false
    var routeIndex: Int? { request.routeIndex }
    /// The handler's state, kept between its calls.
    @exclusivity(unchecked) var state: AnyObject?
    private(set) var isTimeOver = false
    @exclusivity(unchecked) private var response: Response?
    /// Set from queueing a stream's head until the stream has the socket.
    private var stream: EventStream?
    private var timeout: ExchangeTimeout?
    /// The memory of a large response, until it is sent.
    private var reservation: ResponseBudget.Reservation?
    private var buffer = SendBuffer()

    init(loop: EventLoop, client: ClientConnection) {
        self.loop = loop
        self.client = client
    }

    /// Starts the next request.
    func begin(target: UnsafePointer<CChar>?) {
        stage = .begun
        begunAt = loop.turnStart
        receivedBytes = 0
        isTimeOver = false
        self.target =
            target.map { MaskedQuery(hiding: UnsafeMutablePointer(mutating: $0)) } ?? MaskedQuery()
    }

    /// Called by libmicrohttpd after the head, for each piece of the body, when the request is
    /// complete, and after a suspended connection was resumed.
    func proceed(
        _ connection: OpaquePointer, _ line: RequestLine, data: UnsafePointer<CChar>?,
        dataCount: Int
    ) -> MHD_Result {
        switch stage {
        case .begun:
            stage = .receiving
            return readHead(connection, line)
        case .receiving, .discarding, .reading:
            if let data, dataCount > 0 { return receive(data, dataCount, connection) }
            return dispatch(connection)
        case .handling, .answered, .ended:
            // A resumed exchange has a response. If it has none, the connection is closed.
            guard let response = response.take() else { return .NO }
            return send(response, on: connection)
        }
    }

    // MARK: Receiving

    /// Called in libmicrohttpd's first call for a request. A response that is sent in this call
    /// closes the connection.
    private func readHead(_ connection: OpaquePointer, _ line: RequestLine) -> MHD_Result {
        var scan = RequestValidator(
            line, target.reveal(in: line.target),
            headerSize: micro_mhd_header_size(connection), head: request.headers.take())
        scan.addFields(of: connection)
        request.begin(&scan, from: client.address, at: loop.turnStart)
        isHTTP10 = scan.isHTTP10
        isChunked = scan.isChunked
        if scan.refusal == nil { earlyResponse = loop.middleware.before(&request) }
        let isAnonymous = request.principal.map { $0.principalName == nil } ?? false
        if let reason = scan.refusal {
            return refuse(.badRequest(reason: reason), connection)
        }
        let limits = loop.limits
        // Nearly all bodies are plain JSON, which no reader reads.
        if scan.hasOtherType,
            let reader = loop.router.bodyReader(
                for: request, maximumPartBytes: limits.maximumBodyBytes)
        {
            request.bodyReader = reader
            streaming = BodyStreaming(limits)
            let isRefused = earlyResponse != nil || isAnonymous || !reader.needsMore
            guard isRefused else { return .YES }
            if isWorthDiscarding(scan) { discard(nil) } else { return dispatch(connection) }
        } else if let length = scan.contentLength, length > limits.maximumBodyBytes {
            guard isWorthDiscarding(scan) else { return refuse(tooLarge, connection) }
            discard(tooLarge)
        } else if earlyResponse != nil || isAnonymous {
            discard(nil)
        } else if let length = scan.contentLength, length > 0 {
            // The client may send less, so the memory grows as the bytes arrive.
            request.body.reserveCapacity(min(length, 64 << 10))
        }
        return .YES
    }

    // MARK: Responding, on the loop's thread

    private func dispatch(_ connection: OpaquePointer) -> MHD_Result {
        self.connection = connection
        stage = .handling
        client.beginResponding()
        request.startNanoseconds = loop.turnStart
        endBody()
        if let failure { return refuse(failure, connection) }
        if loop.isClosing { return refuse(.unavailable, connection) }
        if let response = earlyResponse.take() { return send(response, on: connection) }
        if let response = loop.router.route(&request) { return send(response, on: connection) }
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

    /// Calls the handler again. If it responds, the caller must resume the connection, which then
    /// sends the response.
    func handleAgain() -> HandlerResult {
        let result = callHandler()
        if case .respond(let response) = result {
            self.response = response
            stage = .answered
        }
        return result
    }

    /// Whether the handler has not responded yet.
    var isWaiting: Bool { stage == .handling }

    /// Responds for a handler, or refuses a body, that the server can't wait for any longer.
    func giveUp() {
        if endsSlice() { return discard(.unavailable) }
        state = nil
        // A commit in progress is completed although the server stops.
        let isRead = request.method == .get || request.method == .head
        response = render(isRead ? .unavailable : .outcomeUnknown)
        stage = .answered
    }

    private var endsConnection: Bool { loop.willStop || isChunked }

    private func refuse(_ failure: HTTPFailure, _ connection: OpaquePointer) -> MHD_Result {
        send(render(failure), on: connection)
    }

    /// Completes and sends a response.
    private func send(_ response: consuming Response, on connection: OpaquePointer) -> MHD_Result {
        stage = .answered
        let isClosing = endsConnection
        loop.middleware.after(&response, &request, isClosing: isClosing)
        let isHeadOnly = request.method == .head
        stream = response.stream
        reservation = response.reservation
        client.beginSending(bytes: response.bodyCount)
        guard stream == nil else {
            return response.queueHead(on: connection, isHeadOnly: isHeadOnly, reader: self)
        }
        return response.queue(on: connection, closing: isClosing, isHeadOnly: isHeadOnly, &buffer)
    }

    /// The head is sent: the socket now belongs to the stream, and libmicrohttpd has finished.
    func beginStream() {
        guard let stream, let connection else { return }
        self.stream = nil
        loop.begin(
            stream, of: client, on: connection, isChunked: !isHTTP10,
            isCompressed: request.coding == .gzip)
    }

    /// Called when libmicrohttpd has sent the response or the client has disconnected.
    func ended() {
        stage = .ended
        connection = nil
        releaseBodyBytes()
        streaming = nil
        if let timeout { loop.cancel(timeout) }
        timeout = nil
        state = nil
        failure = nil
        decoder = nil
        reservation = nil
        stream = nil
        if response != nil { response = nil }
        if earlyResponse != nil { earlyResponse = nil }
        request.reset()
        client.ended()
    }

    // MARK: For handlers

    /// From any thread.
    func resume() { loop.resume(self) }

    func resume(afterSeconds seconds: Double) {
        guard timeout == nil, let connection else { return }
        let timeout = ExchangeTimeout(self)
        self.timeout = timeout
        loop.begin(timeout, seconds: seconds, on: connection)
    }

    /// Called when the handler's waiting time is over, or the client has disconnected.
    func timeIsOver() {
        isTimeOver = true
        resume()
    }

    /// The bytes of the response to a request that was not received in time.
    func timeoutResponse() -> [UInt8] {
        // Until the head has arrived, `request` is the previous one.
        if stage == .begun { request = Request(from: client.address, at: begunAt) }
        var response = render(.requestTimeout)
        loop.middleware.after(&response, &request, isClosing: true)
        return response.closingBytes
    }

    private func render(_ failure: HTTPFailure) -> Response {
        loop.router.response(to: failure, request)
    }
}
