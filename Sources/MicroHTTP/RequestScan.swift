import Glibc

/// Copies a request's head and looks for what libmicrohttpd lets through but must not be: what a
/// proxy in front could understand differently is refused, since that is how requests are smuggled.
///
/// Kept by the loop, so that its memory serves one request after the other.
struct RequestScan {
    struct Summary {
        let head: RequestHead
        /// Why the request is refused; nil where it is not.
        let refusal: String?
        let contentLength: Int?
        let expectsContinue: Bool
        /// The one that the client gave, where it can be taken.
        let requestID: String?
        /// A client that understands no chunks.
        let isHTTP10: Bool
        let isChunked: Bool
    }

    private var builder = RequestHeadBuilder()
    private var refusal: String?
    private var contentLength: Int?
    private var transferEncodings = 0
    private var hosts = 0
    private var expectsContinue = false
    private var requestID: String?
    private var requestIDs = 0
    private var layout = HeadLayout()

    mutating func begin(_ line: RequestLine, _ parts: HiddenQuery.Parts) {
        let path = parts.path
        let query = parts.query
        builder.begin(path: path, query: query)
        refusal = nil
        contentLength = nil
        transferEncodings = 0
        hosts = 0
        expectsContinue = false
        requestID = nil
        requestIDs = 0
        layout = HeadLayout(line, targetLength: parts.targetLength)

        let method = UnsafeBufferPointer(
            start: UnsafeRawPointer(line.method).assumingMemoryBound(to: UInt8.self),
            count: strlen(line.method))
        if !method.allSatisfy(isTokenByte) { refuse("malformed method") }
        let isPath = path.first == UInt8(ascii: "/")
        if !isPath { refuse("the target is not a path") }
        if path.contains(where: isControlOrSpace)
            || query?.contains(where: isControlOrSpace) == true
        {
            refuse("control characters in the target")
        }
        if isResolvedByOthers(path) || query?.contains(UInt8(ascii: "#")) == true {
            refuse("the target could be read in two ways")
        }
    }

    mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        builder.add(name: name, value: withoutPadding(value))
        layout.add(name: name, value: value)
        if name.isEmpty || !name.allSatisfy(isTokenByte) { refuse("malformed header name") }
        if value.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
            refuse("control characters in a header")
        }
        switch name.count {
        case 4 where isName(name, "host"):
            hosts += 1
            if hosts > 1 { refuse("Host is repeated") }
            if !withoutPadding(value).allSatisfy(isHostByte) { refuse("malformed Host") }
        case 6 where isName(name, "expect"):
            expectsContinue = true
        case 12 where isName(name, "x-request-id"):
            requestIDs += 1
            requestID = requestIDs == 1 ? RequestID.given(value) : nil
        case 14 where isName(name, "content-length"):
            if contentLength != nil { refuse("Content-Length is repeated") }
            contentLength = Int(String(decoding: value, as: UTF8.self)) ?? 0
        case 17 where isName(name, "transfer-encoding"):
            transferEncodings += 1
            if transferEncodings > 1 || !isName(value, "chunked") {
                refuse("unknown transfer coding")
            }
        default: break
        }
    }

    /// `headerSize` is libmicrohttpd's count of the head's bytes, from the method on.
    mutating func finish(_ line: RequestLine, headerSize: Int) -> Summary {
        if !layout.isWhole(headerSize: headerSize) { refuse("malformed header") }
        let isHTTP10 = strcmp(line.version, "HTTP/1.0") == 0
        if hosts == 0, !isHTTP10 { refuse("Host is missing") }
        if transferEncodings > 0, contentLength != nil {
            refuse("both Content-Length and Transfer-Encoding")
        }
        if transferEncodings > 0, isHTTP10 { refuse("Transfer-Encoding in HTTP/1.0") }
        return Summary(
            head: builder.finish(), refusal: refusal, contentLength: contentLength,
            expectsContinue: expectsContinue, requestID: requestID, isHTTP10: isHTTP10,
            isChunked: transferEncodings > 0)
    }

    mutating func refuse(_ reason: String) {
        if refusal == nil { refusal = reason }
    }
}

/// The value without the white space behind it, which is none of it (RFC 9110, section 5.5): libmicrohttpd
/// takes away only what is before it.
private func withoutPadding(_ value: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    var count = value.count
    while count > 0, value[count - 1] == 0x20 || value[count - 1] == 0x09 { count -= 1 }
    return UnsafeBufferPointer(rebasing: value[..<count])
}

private func isControlOrSpace(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7F
}

/// Whether a path has what a proxy may resolve before it decides: `.` and `..`, escaped or not, a
/// backslash, which some take for a slash, and `#`, where some see the end.
private func isResolvedByOthers(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
    /// Of the segment so far; nil where it has anything but dots.
    var dots: Int? = 0
    var index = 0
    while index < path.count {
        switch path[index] {
        case UInt8(ascii: "/"):
            if dots == 1 || dots == 2 { return true }
            dots = 0
        case UInt8(ascii: "."): dots = dots.map { $0 + 1 }
        case UInt8(ascii: "%")
        where index + 2 < path.count && path[index + 1] == UInt8(ascii: "2")
            && lowercased(path[index + 2]) == UInt8(ascii: "e"):
            dots = dots.map { $0 + 1 }
            index += 2
        case UInt8(ascii: "\\"), UInt8(ascii: "#"): return true
        default: dots = nil
        }
        index += 1
    }
    return dots == 1 || dots == 2
}

/// Whether the byte may stand in a host and its port (RFC 3986, section 3.2). The comma, which it lets
/// through, is how repeated fields are joined.
private func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
        UInt8(ascii: "%"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"),
        UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"),
        UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ":"),
        UInt8(ascii: "["), UInt8(ascii: "]"):
        true
    default: false
    }
}

/// Whether the byte may stand in a method or a header's name (RFC 9110, section 5.6.2).
private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
        UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
        UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
        true
    default: false
    }
}
