import CMicroHTTPD
import Glibc

/// The request line as libmicrohttpd has split it, valid during one callback.
struct RequestLine {
    let method: UnsafePointer<CChar>
    let target: UnsafePointer<CChar>
    let version: UnsafePointer<CChar>
}

/// Checks a request's head in one pass and copies it. Refuses each head that libmicrohttpd accepts
/// but that a proxy in front could read differently, because such heads are used to smuggle
/// requests.
///
/// libmicrohttpd 0.9 splits the head in place, so the pieces of a well-formed head follow one
/// another in memory. Four malformed heads leave a gap between the pieces, and can make
/// libmicrohttpd see another request than the proxy:
///
/// - a line that ends with a single line feed
/// - text with a zero byte, where libmicrohttpd cuts the text
/// - a folded line, which libmicrohttpd adds to the *name* of its field
/// - a line that starts with a colon, which libmicrohttpd takes for the end of the head
///
/// Later versions refuse such heads, and may split a head differently. So gaps are refused only
/// with 0.9.
///
/// It can't be copied, so that the head's memory has one owner and can be used again.
struct RequestValidator: ~Copyable {
    var head: RequestHead
    /// Why the request is refused; nil if it is not.
    private(set) var refusal: String?
    private(set) var contentLength: Int?
    private(set) var expectsContinue = false
    /// The id that the client sent, if it is valid.
    private(set) var requestID: String?
    private(set) var isHTTP10 = false
    private(set) var isChunked = false
    private(set) var method = HTTPMethod.get

    private let start: UnsafePointer<UInt8>
    private let size: Int
    /// The address at which the next piece must begin.
    private var next: UnsafePointer<UInt8>
    private var hasGap: Bool
    /// Whether a piece is not in the head's memory.
    private var isOutside = false
    private var hosts = 0
    private var requestIDs = 0

    /// - Parameters:
    ///   - parts: the parts of the target.
    ///   - headerSize: libmicrohttpd's count of the head's bytes, from the method on.
    ///   - head: an empty head, whose memory is used.
    init(
        _ line: RequestLine, _ parts: MaskedQuery.Parts, headerSize: Int,
        head: consuming RequestHead
    ) {
        self.head = consume head
        start = Self.bytes(line.method)
        size = headerSize
        let target = Self.bytes(line.target)
        let version = Self.bytes(line.version)
        let method = UnsafeBufferPointer(start: start, count: strlen(line.method))
        hasGap = target != start + method.count + 1 || version != target + parts.targetLength + 1
        isHTTP10 = strcmp(line.version, "HTTP/1.0") == 0
        next = version + (isHTTP10 ? 8 : strlen(line.version)) + 2
        self.method = HTTPMethod(method)
        let place = target - start
        guard place >= 0, place + parts.targetLength <= headerSize else {
            isOutside = true
            self.head.begin(UnsafeBufferPointer(start: start, count: 0), path: 0..<0, query: nil)
            return
        }
        let path = parts.path
        let isPlain = path.allSatisfy(plainPathBytes.contains)
        self.head.begin(
            UnsafeBufferPointer(start: start, count: headerSize),
            path: place..<place + path.count,
            query: parts.query.map { _ in place + path.count + 1..<place + parts.targetLength })
        if case .other = self.method, !method.allSatisfy(tokenBytes.contains) {
            refuse("malformed method")
        }
        if path.first != UInt8(ascii: "/") { refuse("the target is not a path") }
        if !isPlain && path.hasControls(allowsSpace: false)
            || parts.query?.hasControls(allowsSpace: false) == true
        {
            refuse("control characters in the target")
        }
        if !isPlain && isResolvedByOthers(path)
            || parts.query?.contains(UInt8(ascii: "#")) == true
        {
            refuse("the target could be read in two ways")
        }
    }

    private static func bytes(_ text: UnsafePointer<CChar>) -> UnsafePointer<UInt8> {
        UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
    }

    /// Checks the fields that libmicrohttpd has found.
    mutating func addFields(of connection: OpaquePointer) {
        withUnsafeMutablePointer(to: &self) { scan in
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, validateField, scan)
        }
        finish()
    }

    mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard let nameStart = name.baseAddress, let valueStart = value.baseAddress else {
            isOutside = true
            return
        }
        if nameStart != next { hasGap = true }
        next = valueStart + value.count + 2
        // libmicrohttpd removes only the white space before a value (RFC 9110, section 5.5).
        var count = value.count
        while count > 0, value[count - 1] == 0x20 || value[count - 1] == 0x09 { count -= 1 }
        if value.hasControls(allowsSpace: true) { refuse("control characters in a header") }
        let isKnown = check(name, UnsafeBufferPointer(rebasing: value[..<count]), untrimmed: value)
        if !isKnown, name.isEmpty || !name.allSatisfy(tokenBytes.contains) {
            refuse("malformed header name")
        }

        let place = nameStart - start
        let valuePlace = valueStart - start
        guard place >= 0, valuePlace >= place + name.count, valuePlace + value.count <= size else {
            isOutside = true
            return
        }
        if !name.isEmpty {
            head.add(name: place..<place + name.count, value: valuePlace..<valuePlace + count)
        }
    }

    /// Checks the fields that determine the request's framing, and notes the others that are needed at once.
    ///
    /// - Returns: whether it is one of them.
    private mutating func check(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>,
        untrimmed: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        switch name.count {
        case 4 where name.equalsIgnoringCase("host"):
            hosts += 1
            if hosts > 1 { refuse("Host is repeated") }
            let allowed = hostBytes
            for byte in value where !allowed.contains(byte) { refuse("malformed Host") }
        case 6 where name.equalsIgnoringCase("expect"):
            expectsContinue = true
        case 12 where name.equalsIgnoringCase("content-type"): break
        case 12 where name.equalsIgnoringCase("x-request-id"):
            requestIDs += 1
            requestID = requestIDs == 1 ? RequestID.given(untrimmed) : nil
        case 14 where name.equalsIgnoringCase("content-length"):
            if contentLength != nil { refuse("Content-Length is repeated") }
            contentLength = number(untrimmed)
        case 17 where name.equalsIgnoringCase("transfer-encoding"):
            if isChunked || !untrimmed.equalsIgnoringCase("chunked") {
                refuse("unknown transfer coding")
            }
            isChunked = true
        default: return false
        }
        return true
    }

    private mutating func finish() {
        if isOutside || Self.isLayoutKnown && (hasGap || next + 2 != start + size) {
            refuse("malformed header")
        }
        if hosts == 0, !isHTTP10 { refuse("Host is missing") }
        if isChunked, contentLength != nil {
            refuse("both Content-Length and Transfer-Encoding")
        }
        if isChunked, isHTTP10 { refuse("Transfer-Encoding in HTTP/1.0") }
    }

    private static let isLayoutKnown = String(cString: MHD_get_version()).hasPrefix("0.9.")

    private mutating func refuse(_ reason: String) {
        if refusal == nil { refusal = reason }
    }
}

/// Passes each header field to the validator that `context` points to.
private func validateField(
    _ context: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ nameCount: Int, _ value: UnsafePointer<CChar>?, _ valueCount: Int
) -> MHD_Result {
    guard let scan = context?.assumingMemoryBound(to: RequestValidator.self) else { return .NO }
    scan.pointee.add(name: bytes(name, nameCount), value: bytes(value, valueCount))
    return .YES
}

private func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
        start: UnsafeRawPointer(start)?.assumingMemoryBound(to: UInt8.self), count: count)
}

/// A decimal number, which libmicrohttpd has checked; the largest `Int` if it is larger.
private func number(_ digits: UnsafeBufferPointer<UInt8>) -> Int {
    var number = 0
    for digit in digits {
        guard (0x30...0x39).contains(digit) else { return 0 }
        let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
        let (sum, isTooLarge) = tens.addingReportingOverflow(Int(digit - 0x30))
        guard !overflows, !isTooLarge else { return .max }
        number = sum
    }
    return number
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes have control characters. Without `allowsSpace`, spaces and tabs count as
    /// such.
    fileprivate func hasControls(allowsSpace: Bool) -> Bool {
        // Without a branch per byte.
        var found = false
        for byte in self {
            let isControl = (byte < 0x20) != (allowsSpace && byte == 0x09)
            found = found || isControl || byte == 0x7F || (!allowsSpace && byte == 0x20)
        }
        return found
    }
}

/// Whether a proxy may read a path differently: it has a segment `.` or `..`, escaped or not, a
/// backslash (some proxies read it as a slash), or a `#` (some proxies read it as the path's end).
private func isResolvedByOthers(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
    /// The dots of the segment so far; 3 if it has more, or other characters.
    var dots = 0
    var index = 0
    while index < path.count {
        switch path[index] {
        case UInt8(ascii: "/"):
            if dots == 1 || dots == 2 { return true }
            dots = 0
        case UInt8(ascii: "."): dots = min(dots + 1, 3)
        case UInt8(ascii: "%")
        where index + 2 < path.count && path[index + 1] == UInt8(ascii: "2")
            && lowercased(path[index + 2]) == UInt8(ascii: "e"):
            dots = min(dots + 1, 3)
            index += 2
        case UInt8(ascii: "\\"), UInt8(ascii: "#"): return true
        default: dots = 3
        }
        index += 1
    }
    return dots == 1 || dots == 2
}

/// A set of ASCII characters.
private struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// - Parameter others: the other characters in the set.
    init(lettersDigitsAnd others: StaticString) {
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        for byte in Array(letters.utf8) + Array("\(others)".utf8) {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 0x80 && (byte < 64 ? low : high) & (1 << UInt64(byte & 63)) != 0
    }
}

/// Those of most paths: a proxy reads a path of them in one way.
private let plainPathBytes = ByteSet(lettersDigitsAnd: "/-_~")

/// Allowed in a host and its port (RFC 3986, section 3.2), without the comma, which joins repeated fields.
private let hostBytes = ByteSet(lettersDigitsAnd: "-._~%!$&'()*+;=:[]")

/// Allowed in a method and a header's name (RFC 9110, section 5.6.2).
private let tokenBytes = ByteSet(lettersDigitsAnd: "!#$%&'*+-.^_`|~")
