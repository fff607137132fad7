import CMicroHTTPD
import Glibc

/// The request line as libmicrohttpd cut it, valid during one callback.
struct RequestLine {
    let method: UnsafePointer<CChar>
    let target: UnsafePointer<CChar>
    let version: UnsafePointer<CChar>
}

/// Whether a head's pieces lie in memory as a well-formed head's do, one after the other.
///
/// libmicrohttpd 0.9 cuts the head where it was received. It takes a lone line feed for a line's end,
/// cuts text at a zero byte, glues a folded line to the *name* of its field, and takes a line that
/// starts with a colon for the end of the head. Each can make it see another request than a proxy in
/// front did, and each leaves a gap. (Later versions refuse them, and may cut otherwise.)
struct HeadLayout {
    private static let applies = String(cString: MHD_get_version()).hasPrefix("0.9.")

    private var start: UnsafeRawPointer?
    private var next: UnsafeRawPointer?
    private var hasGap = false

    init() {}

    init(_ line: RequestLine, targetLength: Int) {
        start = UnsafeRawPointer(line.method)
        let target = UnsafeRawPointer(line.target)
        hasGap =
            target != UnsafeRawPointer(line.method) + strlen(line.method) + 1
            || UnsafeRawPointer(line.version) != target + targetLength + 1
        next = UnsafeRawPointer(line.version) + strlen(line.version) + 2
    }

    mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        if UnsafeRawPointer(name.baseAddress) != next { hasGap = true }
        next = value.baseAddress.map { UnsafeRawPointer($0) + value.count + 2 }
    }

    /// Whether the fields reach, without a gap, to the empty line that ends the head.
    func isWhole(headerSize: Int) -> Bool {
        guard Self.applies else { return true }
        guard !hasGap, let start, let next else { return false }
        return next + 2 == start + headerSize
    }
}
