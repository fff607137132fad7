import CMicroHTTPD
import Synchronization

/// What has arrived of a request's body.
struct IncomingBody {
    var receivedBytes = 0
    /// The bytes of this body in the loop's `bodiesBytes`.
    var countedBytes = 0
    /// nil: the body is kept as a whole.
    var streaming: BodyStreaming?
}

/// The state of a body that is read while it arrives.
struct BodyStreaming {
    /// The slice that the reader reads now, in bytes. While it is not 0, the connection is suspended.
    var sliceBytes = 0
    /// The size of `Request.body` at which the reader gets the next slice.
    var nextSliceBytes: Int
    /// The bytes that have arrived since the client's deadline began.
    var bytesSinceDeadline = 0
    /// The bytes of this exchange in the loop's `bodies`.
    var reservedBytes = 0
    /// The bytes that the reader has left, when it has finished a slice.
    let rest = BodyRest()

    init(_ limits: LoopLimits) { nextSliceBytes = limits.bodySliceBytes }
}

/// Passes the bytes that a reader has left from its thread to the loop's.
final class BodyRest: Sendable {
    private let bytes = Mutex<[UInt8]?>(nil)

    func put(_ rest: [UInt8]) { bytes.withLock { $0 = rest } }
    func take() -> [UInt8]? { bytes.withLock { $0.take() } }
}

/// Receives the body of a request, on the loop's thread. It is collected in `Request.body`. If it has a reader, the
/// reader takes it from there in slices.
extension ConnectionExchange {
    /// Whether the rest of a refused body is to be read, so that the client gets the response and can use the connection
    /// again. If the client waits for 100 Continue, or sends more than is worth reading, it gets the response at once.
    func isWorthDiscarding(_ scan: borrowing RequestValidator) -> Bool {
        let limits = loop.limits
        return !scan.expectsContinue
            && (scan.contentLength ?? 0) - limits.maximumBodyBytes <= limits.maximumDiscardedBytes
    }

    func receive(_ data: UnsafePointer<CChar>, _ count: Int) -> MHD_Result {
        let limits = loop.limits
        incoming.receivedBytes += count
        let receivedBytes = incoming.receivedBytes
        let isStreamed = incoming.streaming != nil
        if !isStreamed, receivedBytes > limits.maximumBodyBytes {
            discard(tooLarge)
        } else if stage == .receiving, receivedBytes > LoopLimits.smallBodyBytes,
            loop.bodiesBytes + count > limits.maximumBodiesBytes
        {
            discard(.tooManyBodies)
        }
        if stage == .discarding {
            // Reads on, because closing now would reset the connection before the client has read
            // the response. The rest of a streamed body is limited by its time.
            let excess = receivedBytes - limits.maximumBodyBytes
            return excess > limits.maximumDiscardedBytes && !isStreamed ? .NO : .YES
        }
        request.body.append(contentsOf: UnsafeRawBufferPointer(start: data, count: count))
        countBodyBytes()
        if isStreamed { stream(count) }
        return .YES
    }

    private func countBodyBytes() {
        let bytes = request.body.count + (incoming.streaming?.sliceBytes ?? 0)
        loop.bodiesBytes += bytes - incoming.countedBytes
        incoming.countedBytes = bytes
    }

    /// Discards the body, waits for its end, and refuses the request.
    func discard(_ failure: HTTPFailure) {
        stage = .discarding
        answer = .failure(failure)
        request.bodyReader = nil
        discardReceived()
    }

    private func discardReceived() {
        request.body = []
        releaseBodyBytes()
    }

    func releaseBodyBytes() {
        loop.bodiesBytes -= incoming.countedBytes
        incoming.countedBytes = 0
        guard let reservedBytes = incoming.streaming?.reservedBytes else { return }
        _ = loop.bodies.change(from: reservedBytes, to: 0)
        incoming.streaming?.reservedBytes = 0
    }

    var tooLarge: HTTPFailure { .bodyTooLarge(limitBytes: loop.limits.maximumBodyBytes) }

    // MARK: Bodies with a reader

    /// Gives the reader a slice if enough bytes have arrived.
    private func stream(_ count: Int) {
        // libmicrohttpd may pass more pieces after the connection was suspended.
        guard stage == .receiving, let reader = request.bodyReader else { return }
        if loop.isClosing { return discard(.unavailable) }
        guard var streaming = incoming.streaming else { return }
        // After this, `discard` must not be called here: it changes `incoming.streaming`.
        defer { incoming.streaming = streaming }
        streaming.bytesSinceDeadline += count
        if streaming.bytesSinceDeadline >= loop.limits.bodySliceBytes {
            streaming.bytesSinceDeadline = 0
            client.beginReceiving()
        }
        guard request.body.count >= streaming.nextSliceBytes else { return }
        var slice: [UInt8] = []
        swap(&slice, &request.body)
        streaming.sliceBytes = slice.count
        stage = .reading
        // The reader's time does not count towards the client's deadline.
        client.beginResponding()
        loop.suspend(self)
        reader.read(slice) { [self, rest = streaming.rest] bytes in
            rest.put(bytes)
            resume()
        }
    }

    /// Continues to receive the body if its reader has finished a slice.
    func continueReceiving() {
        guard let rest = incoming.streaming?.rest.take(), endsSlice() else { return }
        if stage == .reading, let reader = request.bodyReader { resume(reader, with: rest) }
        client.beginReceiving()
        loop.resume(self)
    }

    /// Returns false if the connection is not suspended for its reader.
    func endsSlice() -> Bool {
        guard incoming.streaming.map({ $0.sliceBytes > 0 }) == true else { return false }
        incoming.streaming?.sliceBytes = 0
        return true
    }

    private func resume(_ reader: some BodyReader, with rest: [UInt8]) {
        stage = .receiving
        // While a long part is incomplete, the slices grow, so that reading it takes linear time.
        incoming.streaming?.nextSliceBytes =
            rest.count + max(loop.limits.bodySliceBytes, rest.count)
        incoming.streaming?.bytesSinceDeadline = 0
        request.body = rest + request.body
        if !reader.needsMore {
            stage = .discarding
            discardReceived()
        } else if let failure = reserve(reader.memoryBytes) {
            discard(failure)
        } else {
            countBodyBytes()
        }
    }

    /// Counts the memory of what was read.
    private func reserve(_ bytes: Int) -> HTTPFailure? {
        guard bytes <= loop.bodies.limitBytes else {
            return .contentTooLarge(limitBytes: loop.bodies.limitBytes)
        }
        guard loop.bodies.change(from: incoming.streaming?.reservedBytes ?? 0, to: bytes) else {
            return .tooManyBodies
        }
        incoming.streaming?.reservedBytes = bytes
        return nil
    }
}
