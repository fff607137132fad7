import CMicroHTTPD
import Glibc

/// A response built once and sent many times, on many connections at once, without copying its body.
///
/// Its memory is freed when it is released and the last connection has sent it.
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
    /// The 304 for this response; nil unless this is a 200 with an entity tag.
    package let notModified: PreparedResponse?

    /// libmicrohttpd's response, which owns `storage`. This object has a reference to it until
    /// `deinit`.
    private let handle: OpaquePointer
    /// nil if the response has no body.
    private let storage: UnsafeMutableRawPointer?
    /// The memory that is reserved for the body, shared by all connections that send it.
    private let shared = ResponseBudget.SharedReservation()

    /// Builds the response. Fails only if memory is exhausted. Complexity: O(body's length).
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
        // MUST_FREE: libmicrohttpd frees the storage with the last reference. A connection may keep
        // a reference after this object is released.
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

    /// The reservation shared by the connections that send it now, or a new one.
    func reservation(in share: ResponseBudget.Share) -> ResponseBudget.Reservation? {
        shared.reservation(bodyCount, of: self, in: share)
    }

    /// Queues the response on a connection. libmicrohttpd keeps its own reference.
    func queue(on connection: OpaquePointer) -> MHD_Result {
        MHD_queue_response(connection, UInt32(status), handle)
    }

    /// Queues the same body with other header fields.
    func queue(
        _ headers: HeaderFields, on connection: OpaquePointer, requestID: RequestID?, closing: Bool
    ) -> MHD_Result {
        // Released by `releasePrepared`, when the response is sent.
        let owner = Unmanaged.passRetained(self)
        let handle = MHD_create_response_from_buffer_with_free_callback_cls(
            bodyCount, storage, releasePrepared, owner.toOpaque())
        if handle == nil { owner.release() }
        return queueOnce(
            handle, status, headers, on: connection, requestID: requestID, closing: closing)
    }
}

/// Memory for the response bodies of one connection. Each response uses it again, so most responses
/// need no allocation.
struct SendBuffer: ~Copyable {
    private static let mostBytes = 16 << 10
    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { bytes.deallocate() }

    /// Creates libmicrohttpd's response with this body. The next call may overwrite its memory.
    mutating func makeHandle(_ body: [UInt8]) -> OpaquePointer? {
        body.withUnsafeBytes { body in
            // Both modes only read the buffer, whatever C's signature says.
            guard body.count <= Self.mostBytes else {
                return MHD_create_response_from_buffer(
                    body.count, UnsafeMutableRawPointer(mutating: body.baseAddress),
                    .RESPMEM_MUST_COPY)
            }
            if bytes.count < body.count {
                bytes.deallocate()
                var count = 512
                while count < body.count { count *= 2 }
                bytes = .allocate(byteCount: count, alignment: 8)
            }
            if !body.isEmpty { bytes.copyMemory(from: body) }
            return MHD_create_response_from_buffer(
                body.count, bytes.baseAddress, .RESPMEM_PERSISTENT)
        }
    }
}

extension Response {
    /// Queues the response on a connection.
    ///
    /// With `closing`, the response has `Connection: close`. With `isHeadOnly`, the body is not
    /// sent, and its memory is not kept while the head is sent.
    func queue(
        on connection: OpaquePointer, closing: Bool, isHeadOnly: Bool, _ buffer: inout SendBuffer
    ) -> MHD_Result {
        if let prepared, !isHeadOnly {
            if id == nil, !closing, !hasOwnFields { return prepared.queue(on: connection) }
            if !isBodiless {
                return prepared.queue(headers, on: connection, requestID: id, closing: closing)
            }
        }
        let handle =
            isHeadOnly || isBodiless ? makeBodilessHandle() : buffer.makeHandle(body)
        return queueOnce(handle, status, headers, on: connection, requestID: id, closing: closing)
    }

    /// Whether the status forbids a body, but allows a `Content-Length`.
    fileprivate var isBodiless: Bool { status == 304 }

    /// Creates libmicrohttpd's response with a `Content-Length` but without a body. If the length
    /// is unknown, the connection ends with the response.
    fileprivate func makeBodilessHandle() -> OpaquePointer? {
        let count = isBodiless ? unsentBodyCount : bodyCount
        let handle = micro_mhd_bodiless_response(Int64(count ?? -1)) { _, _, _, _ in
            micro_mhd_end_with_error()
        }
        if count == nil, let handle { micro_mhd_without_chunks(handle) }
        return handle
    }

    /// Queues the head of a stream. When the head is sent, libmicrohttpd calls `reader` with `context`.
    func queueHead(
        on connection: OpaquePointer, isHeadOnly: Bool,
        reader: @escaping MHD_ContentReaderCallback, _ context: UnsafeMutableRawPointer
    ) -> MHD_Result {
        let handle = micro_mhd_endless_response(reader, context)
        if isHeadOnly, let handle { micro_mhd_without_chunks(handle) }
        return queueOnce(handle, status, headers, on: connection, requestID: id, closing: true)
    }
}

/// Releases a prepared response after another response has sent its bytes.
private func releasePrepared(_ prepared: UnsafeMutableRawPointer?) {
    if let prepared { Unmanaged<PreparedResponse>.fromOpaque(prepared).release() }
}

/// Queues a response that only one connection sends. Fails if `handle` is nil.
private func queueOnce(
    _ handle: OpaquePointer?, _ status: Int, _ headers: HeaderFields,
    on connection: OpaquePointer, requestID: RequestID?, closing: Bool
) -> MHD_Result {
    guard let handle else { return .NO }
    defer { MHD_destroy_response(handle) }
    addHeaders(headers, requestID: requestID, to: handle)
    if closing { MHD_add_response_header(handle, "Connection", "close") }
    return MHD_queue_response(connection, UInt32(status), handle)
}

/// Adds the fields, except those that libmicrohttpd rejects because they are not valid.
private func addHeaders(
    _ headers: HeaderFields, requestID: RequestID?, to handle: OpaquePointer
) {
    if let requestID {
        requestID.withCString { id in
            RequestID.fieldName.withUTF8Buffer { name in
                name.withMemoryRebound(to: CChar.self) { name in
                    _ = MHD_add_response_header(handle, name.baseAddress, id)
                }
            }
        }
    }
    for field in headers.fields {
        _ = field.name.withCString { name in
            field.value.withCString { value in MHD_add_response_header(handle, name, value) }
        }
    }
}
