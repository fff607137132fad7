import CMicroHTTPD
import Glibc

/// One request and its response, from the request line to the last byte sent.
///
/// A connection creates a new exchange for each request, so a request finds nothing of the one before it. What outlives
/// a request is in `ClientConnection`.
///
/// `@unchecked Sendable`: only the loop's thread uses it. Other threads only call `resume`, which
/// puts the exchange into the loop's inbox, and read the request while they run its handler. For
/// speed (80 instructions an access), overlapping accesses to the properties that each request uses
/// are not detected at run time.
final class ConnectionExchange: HTTPExchange, LoopWork, @unchecked Sendable {
    enum Stage {
        /// The request line has arrived, but not the complete head.
        case begun
        case receiving, discarding
        /// The body's reader reads a slice, and the connection is suspended.
        case reading
        /// The request is complete, and the handler may have to be called again.
        case handling
        /// The response is to be sent, or is sent.
        case answered
        case ended
    }

    /// The result of a request before it can be sent.
    enum Answer {
        /// The response of the middleware, or of the handler of a suspended connection.
        case response(Response)
        /// Why the body was refused.
        case failure(HTTPFailure)
    }

    let loop: EventLoop
    let client: ClientConnection
    /// The index among the loop's suspended exchanges.
    var suspendedIndex = 0

    var stage = Stage.begun
    private let target: MaskedQuery
    @exclusivity(unchecked) var request: Request
    @exclusivity(unchecked) var incoming = IncomingBody()
    private var isHTTP10 = false
    /// Whether the body is chunked. libmicrohttpd reads the chunks, and a proxy in front may see
    /// the body end at another place. So the connection ends after this request.
    private var isChunked = false
    var routeIndex: Int? { request.routeIndex }
    /// The handler's state, kept between its calls.
    @exclusivity(unchecked) var state: AnyObject?
    /// nil: the handler is to be called, or its response was sent.
    @exclusivity(unchecked) var answer: Answer?
    /// Set from queueing a stream's head until the stream has the socket.
    private var stream: EventStream?
    /// The memory of a large response, until it is sent.
    private var reservation: ResponseBudget.Reservation?
    private var timeout: ExchangeTimeout?
    var isTimeOver: Bool { timeout?.isOver ?? false }

    /// Starts a request.
    ///
    /// - Parameter memory: of the connection's last request.
    init(
        loop: EventLoop, client: ClientConnection, target: UnsafePointer<CChar>?,
        memory: inout Request.Memory
    ) {
        self.loop = loop
        self.client = client
        self.target =
            target.map { MaskedQuery(hiding: UnsafeMutablePointer(mutating: $0)) } ?? MaskedQuery()
        request = Request(from: client.address, at: loop.turnStart)
        request.use(&memory)
    }

    /// Called by libmicrohttpd after the head, for each piece of the body, when the request is
    /// complete, and after a suspended connection was resumed.
    func proceed(_ line: RequestLine, data: UnsafePointer<CChar>?, dataCount: Int) -> MHD_Result {
        switch stage {
        case .begun:
            stage = .receiving
            return readHead(line)
        case .receiving, .discarding, .reading:
            if let data, dataCount > 0 { return receive(data, dataCount) }
            return dispatch()
        case .handling, .answered, .ended:
            // A resumed exchange has a response. If it has none, the connection is closed.
            guard case .response(let response) = answer.take() else { return .NO }
            return send(response)
        }
    }

    // MARK: Receiving

    /// Called in libmicrohttpd's first call for a request. A response that is sent in this call
    /// closes the connection.
    private func readHead(_ line: RequestLine) -> MHD_Result {
        var scan = RequestValidator(
            line, target.reveal(in: line.target),
            headerSize: micro_mhd_header_size(client.connection), head: request.headers.take())
        scan.addFields(of: client.connection)
        request.begin(&scan, at: loop.turnStart)
        isHTTP10 = scan.isHTTP10
        isChunked = scan.isChunked
        if let reason = scan.refusal { return refuse(.badRequest(reason: reason)) }
        if let response = loop.middleware.before(&request) { answer = .response(response) }
        let isAnonymous = request.principal.map { $0.principalName == nil } ?? false
        let limits = loop.limits
        // Nearly all bodies are plain JSON, which no reader reads.
        if request.headers.hasOtherType,
            let reader = loop.router.bodyReader(
                for: request, maximumPartBytes: limits.maximumBodyBytes)
        {
            request.bodyReader = reader
            incoming.streaming = BodyStreaming(limits)
            let isRefused = answer != nil || isAnonymous || !reader.needsMore
            guard isRefused else { return .YES }
            stage = .discarding
            if !isWorthDiscarding(scan) { return dispatch() }
        } else if let length = scan.contentLength, length > limits.maximumBodyBytes {
            guard isWorthDiscarding(scan) else { return refuse(tooLarge) }
            discard(tooLarge)
        } else if answer != nil || isAnonymous {
            stage = .discarding
        } else if let length = scan.contentLength, length > 0 {
            // The client may send less, so the memory grows as the bytes arrive.
            request.body.reserveCapacity(min(length, 64 << 10))
        }
        return .YES
    }

    // MARK: Responding, on the loop's thread

    private func dispatch() -> MHD_Result {
        stage = .handling
        client.beginResponding()
        request.startNanoseconds = loop.turnStart
        if let answer = answer.take() {
            switch answer {
            case .failure(let failure): return refuse(failure)
            case .response(let response):
                return loop.isClosing ? refuse(.unavailable) : send(response)
            }
        }
        if loop.isClosing { return refuse(.unavailable) }
        if let response = loop.router.route(&request) { return send(response) }
        if let response = loop.router.handle(self) { return send(response) }
        loop.suspend(self)
        return .YES
    }

    /// Calls the handler again. If it responds, the connection is resumed and sends the response.
    func handleAgain() {
        guard let response = loop.router.handle(self) else { return }
        answer = .response(consume response)
        stage = .answered
        loop.resume(self)
    }

    /// Whether the handler has not responded yet.
    var isWaiting: Bool { stage == .handling }

    /// Responds for a handler, or refuses a body, that the server can't wait for any longer.
    func giveUp() {
        if endsSlice() { return discard(.unavailable) }
        state = nil
        // A commit in progress is completed although the server stops.
        answer = .response(render(request.method.isRead ? .unavailable : .outcomeUnknown))
        stage = .answered
    }

    private func refuse(_ failure: HTTPFailure) -> MHD_Result { send(render(failure)) }

    /// Completes and sends a response.
    private func send(_ response: consuming Response) -> MHD_Result {
        stage = .answered
        let isClosing = loop.willStop || isChunked
        loop.middleware.after(&response, &request, isClosing: isClosing)
        let isHeadOnly = request.method == .head
        stream = response.stream
        reservation = response.reservation
        client.beginSending(bytes: response.bodyCount)
        guard stream == nil else {
            // libmicrohttpd does not retain the exchange, which outlives the response.
            return response.queueHead(
                on: client.connection, isHeadOnly: isHeadOnly, reader: readStream,
                Unmanaged.passUnretained(self).toOpaque())
        }
        return response.queue(
            on: client.connection, closing: isClosing, isHeadOnly: isHeadOnly, &client.buffer)
    }

    /// The head is sent: the socket now belongs to the stream, and libmicrohttpd has finished.
    func beginStream() {
        guard let stream = stream.take() else { return }
        loop.begin(
            stream, of: client, loop.middleware.memoryShare(of: request), isChunked: !isHTTP10,
            isCompressed: request.coding == .gzip)
    }

    /// Called when libmicrohttpd has sent the response or the client has disconnected.
    func ended() {
        stage = .ended
        releaseBodyBytes()
        if let timeout { loop.cancel(timeout) }
        state = nil
        reservation = nil
        request.giveBack(&client.memory)
        client.ended()
    }

    // MARK: For handlers

    /// From any thread.
    func resume() { loop.inbox.put(self) }

    func proceedOnLoop() { if isWaiting { handleAgain() } else { continueReceiving() } }

    func resume(afterSeconds seconds: Double) {
        guard isWaiting, timeout == nil else { return }
        let timeout = ExchangeTimeout(self)
        self.timeout = timeout
        loop.begin(timeout, seconds: seconds, on: client.connection)
    }

    /// The bytes of the response to a request that was not received in time.
    func timeoutResponse() -> [UInt8] {
        var response = render(.requestTimeout)
        loop.middleware.after(&response, &request, isClosing: true)
        return response.closingBytes
    }

    private func render(_ failure: HTTPFailure) -> Response {
        loop.router.response(to: failure, request)
    }
}
