import CMicroHTTPD
import Glibc
import Synchronization

/// A response built once and sent many times, on many connections at once, without copying its body.
///
/// Its memory is given back when it is released and the last connection has sent it.
///
/// `@unchecked Sendable`: everything here is immutable after `init`, and libmicrohttpd guards the
/// reference count of its response with a lock of its own.
package final class PreparedResponse: @unchecked Sendable {
    package let status: Int
    package let headers: HeaderFields
    /// Bytes of the body.
    package let bodyCount: Int
    /// `Response.unsentBodyCount`.
    let unsentBodyCount: Int?
    /// `Response.notModified`, of a 200 that has an entity tag.
    package let notModified: PreparedResponse?

    /// Holds one reference until `deinit`. It owns `storage`.
    private let handle: OpaquePointer
    /// nil if there is no body to send.
    private let storage: UnsafeMutableRawPointer?
    /// What the connections that send it share of the memory for unread responses.
    private let reservation = Mutex(SharedReservation())

    private struct SharedReservation {
        weak var current: ResponseBudget.Reservation?
    }

    /// Builds the response. Fails only where memory is exhausted. Complexity: O(body's length).
    package init?(_ response: Response) {
        status = response.status
        headers = response.headers
        unsentBodyCount = response.unsentBodyCount
        notModified =
            status == 200 && headers["ETag"] != nil
            ? PreparedResponse(response.notModified) : nil
        guard !response.isBodiless else {
            guard let handle = response.makeBodilessHandle() else { return nil }
            addHeaders(response.headers, requestID: nil, to: handle)
            self.handle = handle
            storage = nil
            bodyCount = 0
            return
        }
        let body = response.body
        guard let storage = malloc(max(body.count, 1)) else { return nil }
        body.withUnsafeBytes { bytes in
            if let source = bytes.baseAddress {
                storage.copyMemory(from: source, byteCount: bytes.count)
            }
        }
        // MUST_FREE: libmicrohttpd frees the storage with the last reference, which may be a
        // connection's and outlive this object.
        guard
            let handle = MHD_create_response_from_buffer(
                body.count, storage, .RESPMEM_MUST_FREE)
        else {
            free(storage)
            return nil
        }
        addHeaders(response.headers, requestID: nil, to: handle)
        self.handle = handle
        self.storage = storage
        bodyCount = body.count
    }

    deinit {
        MHD_destroy_response(handle)
    }

    /// A copy of the body. Complexity: O(length).
    package var body: [UInt8] {
        Array(UnsafeRawBufferPointer(start: storage, count: bodyCount))
    }

    /// The reservation that all connections share that send it now; a new one if there are none.
    func reservation(
        in budget: ResponseBudget, for client: ResponseBudget.Client
    ) -> ResponseBudget.Reservation? {
        reservation.withLock { shared in
            if let current = shared.current { return current }
            let new = budget.reserve(bodyCount, for: client, body: self)
            shared.current = new
            return new
        }
    }

    /// Queues it as the connection's answer; libmicrohttpd takes a reference of its own.
    func queue(on connection: OpaquePointer) -> MHD_Result {
        MHD_queue_response(connection, UInt32(status), handle)
    }

    /// Queues it with fields of its own round the same body.
    func queue(
        on connection: OpaquePointer, requestID: String?, closing: Bool
    ) -> MHD_Result {
        // Released by `releasePrepared`, once the answer is sent.
        let owner = Unmanaged.passRetained(self)
        guard
            let handle = MHD_create_response_from_buffer_with_free_callback_cls(
                bodyCount, storage, releasePrepared, owner.toOpaque())
        else {
            owner.release()
            return .NO
        }
        defer { MHD_destroy_response(handle) }
        addHeaders(headers, requestID: requestID, to: handle)
        if closing { MHD_add_response_header(handle, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(status), handle)
    }
}

extension Response {
    /// Queues the response as the connection's answer.
    ///
    /// With `closing`, the client is told that the connection ends with it. With `isHeadOnly`, nothing of the
    /// body is held until the head is sent.
    func queue(
        on connection: OpaquePointer, requestID: String?, closing: Bool, isHeadOnly: Bool
    ) -> MHD_Result {
        if let prepared, requestID == nil, !closing, !isHeadOnly {
            return prepared.queue(on: connection)
        }
        if isHeadOnly || isBodiless {
            guard let handle = makeBodilessHandle() else { return .NO }
            return queue(handle, on: connection, requestID: requestID, closing: closing)
        }
        if let prepared {
            return prepared.queue(on: connection, requestID: requestID, closing: closing)
        }
        let handle = body.withUnsafeBytes { bytes in
            // MUST_COPY only reads the buffer, whatever C's signature says.
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                .RESPMEM_MUST_COPY)
        }
        guard let handle else { return .NO }
        return queue(handle, on: connection, requestID: requestID, closing: closing)
    }

    /// Whether it has no body, but may say how long that would be.
    fileprivate var isBodiless: Bool { status == 304 }

    /// A response of libmicrohttpd's with the status line's and the length's meaning, and no body. Without a
    /// length it ends the connection.
    fileprivate func makeBodilessHandle() -> OpaquePointer? {
        let count = isBodiless ? unsentBodyCount : bodyCount
        let handle = micro_mhd_bodiless_response(Int64(count ?? -1), readStream)
        if count == nil, let handle { micro_mhd_without_chunks(handle) }
        return handle
    }

    private func queue(
        _ handle: OpaquePointer, on connection: OpaquePointer, requestID: String?, closing: Bool
    ) -> MHD_Result {
        defer { MHD_destroy_response(handle) }
        addHeaders(headers, requestID: requestID, to: handle)
        if closing { MHD_add_response_header(handle, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(status), handle)
    }
}

extension Response {
    /// Queues the head of a stream; `reader` is told once it is sent. The exchange outlives the
    /// response, which ends with it.
    func queueHead(
        on connection: OpaquePointer, requestID: String?, isHeadOnly: Bool, reader: Exchange
    ) -> MHD_Result {
        let handle = micro_mhd_endless_response(
            readStream, Unmanaged.passUnretained(reader).toOpaque())
        guard let handle else { return .NO }
        defer { MHD_destroy_response(handle) }
        addHeaders(headers, requestID: requestID, to: handle)
        MHD_add_response_header(handle, "Connection", "close")
        if isHeadOnly { micro_mhd_without_chunks(handle) }
        return MHD_queue_response(connection, UInt32(status), handle)
    }
}

/// Adds the fields; libmicrohttpd refuses those that could not stand in a header.
private func addHeaders(
    _ headers: HeaderFields, requestID: String?, to handle: OpaquePointer
) {
    if let requestID { addHeader(RequestID.fieldName, requestID, to: handle) }
    for field in headers.fields { addHeader(field.name, field.value, to: handle) }
}

/// Where a string stands for a C string by itself, an array is made of it.
private func addHeader(_ name: String, _ value: String, to handle: OpaquePointer) {
    _ = name.withCString { name in
        value.withCString { value in MHD_add_response_header(handle, name, value) }
    }
}
