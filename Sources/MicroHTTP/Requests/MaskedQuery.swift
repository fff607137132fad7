import Glibc

/// Hides a request's query from libmicrohttpd until the head is complete.
///
/// After libmicrohttpd has reported the target, it splits and unescapes the query in place. It
/// stores a record for each argument in the connection's memory. The server does not use these
/// records, and if they do not fit, the request never gets a response. So a zero byte makes the
/// query look empty.
struct MaskedQuery {
    private var targetLength = 0
    private var pathLength = 0
    private var firstByte: CChar = 0

    init() {}

    init(hiding target: UnsafeMutablePointer<CChar>) {
        targetLength = strlen(target)
        pathLength = targetLength
        guard let mark = strchr(target, Int32(UInt8(ascii: "?"))) else { return }
        pathLength = target.distance(to: mark)
        firstByte = mark[1]
        mark[1] = 0
    }

    struct Parts {
        let targetLength: Int
        let path: UnsafeBufferPointer<UInt8>
        /// The part after the `?`; nil without a `?`.
        let query: UnsafeBufferPointer<UInt8>?
    }

    /// Restores the query, and returns the target's parts.
    ///
    /// - Parameter target: the target's current address, which may have changed since `init`.
    func reveal(in target: UnsafePointer<CChar>) -> Parts {
        let bytes = UnsafeRawPointer(target).assumingMemoryBound(to: UInt8.self)
        let path = UnsafeBufferPointer(start: bytes, count: pathLength)
        guard pathLength < targetLength else {
            return Parts(targetLength: targetLength, path: path, query: nil)
        }
        UnsafeMutablePointer(mutating: target)[pathLength + 1] = firstByte
        let query = UnsafeBufferPointer(
            start: bytes + pathLength + 1, count: targetLength - pathLength - 1)
        return Parts(targetLength: targetLength, path: path, query: query)
    }
}
