import CZlib

/// Compresses bytes into one gzip member (RFC 1952). Used by one thread at a time.
final class GzipEncoder {
    /// How much memory and time a compressor takes.
    struct Settings {
        let level: Int32
        let windowBits: Int32
        let memoryLevel: Int32

        /// For responses that are compressed once and sent many times: a document is 5 to 7 times
        /// smaller, after 14 ms for each megabyte.
        static let kept = Settings(level: 6, windowBits: 15, memoryLevel: 8)
        /// For responses that are sent once: a tenth larger, in half the time.
        static let once = Settings(level: 1, windowBits: 15, memoryLevel: 8)
        /// For event streams. The compressor takes 12 KiB until the stream ends. The largest
        /// window would take 262 KiB, and save a fifth of the bytes.
        static let stream = Settings(level: 6, windowBits: 10, memoryLevel: 2)
    }

    /// zlib's state refers to this memory, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let level: Int32

    /// Returns nil if memory is exhausted.
    init?(_ settings: Settings) {
        level = settings.level
        stream = .allocate(capacity: 1)
        let code = micro_gzip_begin(
            stream, settings.level, settings.windowBits, settings.memoryLevel)
        guard code == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    enum Ending {
        /// The client can decompress all bytes until now.
        case flush
        /// The member ends. Nothing may follow.
        case finish
    }

    /// Appends the compressed bytes to `output`.
    ///
    /// - Parameter isStored: whether the bytes are not compressed within the member, which is much
    ///   faster.
    func write(
        _ bytes: some Collection<UInt8>, _ ending: Ending, isStored: Bool = false,
        to output: inout [UInt8]
    ) {
        if isStored { setLevel(0) }
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable {
            write($0, ending, to: &output)
        }
        if isContiguous == nil { write(Array(bytes), ending, to: &output) }
        if isStored { setLevel(level) }
    }

    /// Call this at the beginning or after a flush. So there is nothing to write.
    private func setLevel(_ level: Int32) {
        stream.pointee.avail_in = 0
        stream.pointee.avail_out = 0
        deflateParams(stream, level, Z_DEFAULT_STRATEGY)
    }

    private func write(
        _ bytes: UnsafeBufferPointer<UInt8>, _ ending: Ending, to output: inout [UInt8]
    ) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        let flush = ending == .flush ? Z_SYNC_FLUSH : Z_FINISH
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.pieceBytes) { piece in
            // If the piece was not filled, zlib has nothing more to write.
            repeat {
                stream.pointee.next_out = piece.baseAddress
                stream.pointee.avail_out = UInt32(piece.count)
                deflate(stream, flush)
                output += piece.prefix(piece.count - Int(stream.pointee.avail_out))
            } while stream.pointee.avail_out == 0
        }
        stream.pointee.next_in = nil
    }

    private static let pieceBytes = 16 << 10

    /// Compresses a text at once. Returns nil if memory is exhausted, or if the text has 4 GiB or
    /// more.
    static func compress(_ bytes: [UInt8], _ settings: Settings) -> [UInt8]? {
        guard bytes.count <= Int(UInt32.max), let encoder = GzipEncoder(settings) else {
            return nil
        }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count / 5)
        encoder.write(bytes, .finish, to: &output)
        return output
    }
}
