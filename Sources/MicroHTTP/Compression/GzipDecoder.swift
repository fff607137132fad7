import CZlib

/// Decompresses the body of a request while it arrives: one or several gzip members (RFC 1952).
/// Used by one thread at a time.
final class GzipDecoder {
    /// The memory of a decoder, without the body.
    static let memoryBytes = 40 << 10
    /// A body up to this size may be compressed by any ratio.
    static let unlimitedRatioBytes = 64 << 10
    /// A larger body may have at most this number of bytes for each compressed byte. This is checked
    /// while the body arrives.
    static let maximumRatio = 20

    /// zlib's state refers to this memory, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let maximumBytes: Int
    /// The compressed bytes that are decompressed.
    private var consumedBytes = 0
    private var producedBytes = 0
    /// Whether the last member is complete.
    private var isComplete = true

    /// - Parameter maximumBytes: the limit of the decompressed body.
    /// - Returns: nil if memory is exhausted.
    init?(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
        stream = .allocate(capacity: 1)
        guard micro_gunzip_begin(stream) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Appends the decompressed bytes of a piece to `body`. The caller may remove bytes between two pieces.
    /// At an error, the body exceeds its limit by at most 16 KiB.
    func write(
        _ piece: UnsafeRawBufferPointer, to body: inout [UInt8]
    ) throws(HTTPFailure) {
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: piece.assumingMemoryBound(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(piece.count)
        let failure = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.pieceBytes) {
            output -> HTTPFailure? in
            repeat {
                if let failure = step(output, &body) { return failure }
            } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
            return nil
        }
        stream.pointee.next_in = nil
        if let failure { throw failure }
    }

    /// Called at the end of the body.
    func finish() throws(HTTPFailure) {
        guard isComplete else { throw Self.malformed }
    }

    /// Decompresses until the output or the input is used up, or a member ends.
    private func step(
        _ output: UnsafeMutableBufferPointer<UInt8>, _ body: inout [UInt8]
    ) -> HTTPFailure? {
        if isComplete {
            guard stream.pointee.avail_in > 0 else {
                // Ends the loop in `write`.
                stream.pointee.avail_out = 1
                return nil
            }
            inflateReset(stream)
            isComplete = false
        }
        let available = stream.pointee.avail_in
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let code = inflate(stream, Z_NO_FLUSH)
        // Z_BUF_ERROR: nothing is left to do with this input.
        guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
            return Self.malformed
        }
        isComplete = code == Z_STREAM_END
        consumedBytes += Int(available - stream.pointee.avail_in)
        let count = output.count - Int(stream.pointee.avail_out)
        body += output.prefix(count)
        producedBytes += count
        guard producedBytes <= maximumBytes else {
            return .bodyTooLarge(limitBytes: maximumBytes)
        }
        return producedBytes > Self.unlimitedRatioBytes
            && producedBytes > consumedBytes * Self.maximumRatio ? .bodyTooCompressed : nil
    }

    private static let pieceBytes = 16 << 10
    private static let malformed = HTTPFailure.badRequest(
        reason: "the body is not valid gzip, or it is incomplete")
}
