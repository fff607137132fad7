import CZlib

/// Decompresses one gzip member (RFC 1952) while it arrives, as a client does.
package final class Gunzip {
    /// The text is malformed, or incomplete.
    package struct Fault: Error {}

    /// zlib's state refers to this memory, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isComplete = false

    package init() {
        stream.initialize(to: z_stream())
        // 16 more than the window's bits: the format is gzip.
        let code = inflateInit2_(
            stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK)
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the decompressed bytes of a piece.
    package func read(_ piece: [UInt8]) throws -> [UInt8] {
        var plain: [UInt8] = []
        var piece = piece
        var output = [UInt8](repeating: 0, count: 64 << 10)
        try piece.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            while true {
                let code = output.withUnsafeMutableBufferPointer { output in
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(output.count)
                    return inflate(stream, Z_NO_FLUSH)
                }
                plain += output.dropLast(Int(stream.pointee.avail_out))
                isComplete = code == Z_STREAM_END
                let hasMore = stream.pointee.avail_in > 0
                // Z_BUF_ERROR: nothing is left to do with this input. Nothing follows the end.
                guard isComplete ? !hasMore : code == Z_OK || code == Z_BUF_ERROR else {
                    throw Fault()
                }
                if isComplete || !hasMore && stream.pointee.avail_out > 0 { return }
            }
        }
        return plain
    }

    /// Called at the end of the text.
    package func finish() throws {
        if !isComplete { throw Fault() }
    }

    /// Decompresses a whole text.
    package static func whole(_ text: [UInt8]) throws -> [UInt8] {
        let gunzip = Gunzip()
        let plain = try gunzip.read(text)
        try gunzip.finish()
        return plain
    }
}
