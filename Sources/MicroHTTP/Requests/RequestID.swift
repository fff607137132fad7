import Glibc

/// Identifies a request in logs and in its response's `X-Request-Id`.
///
/// The client, or a proxy in front of the server, may send the id. It is written to log lines and
/// into a header field, so it is accepted only if it is short and plain. Otherwise the server makes
/// an id.
enum RequestID: Sendable {
    case given(String)
    /// Made by a `RequestIDSequence`.
    case made(start: UInt64, number: UInt64)

    static let fieldName: StaticString = "X-Request-Id"
    static let longest = 128

    /// The id in a field's value; nil if it is not valid.
    static func given(_ value: UnsafeBufferPointer<UInt8>) -> String? {
        guard (1...longest).contains(value.count), value.allSatisfy(isPlain) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    var text: String { withCString { String(cString: $0) } }

    /// Calls `body` with the text. Allocates nothing for ids that the server made.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        switch self {
        case .given(let text): text.withCString(body)
        case .made(let start, let number):
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { text in
                var end = text.count - 1
                text[end] = 0
                func write(_ value: UInt64, digits: Int) {
                    var rest = value
                    for _ in 0..<digits {
                        let digit = CChar(truncatingIfNeeded: rest & 15)
                        end -= 1
                        text[end] = digit < 10 ? 0x30 + digit : 0x57 + digit
                        rest >>= 4
                    }
                }
                write(number, digits: max(1, (67 - number.leadingZeroBitCount) / 4))
                end -= 1
                text[end] = CChar(UInt8(ascii: "-"))
                write(start, digits: 16)
                guard let first = text.baseAddress else { return body("") }
                return body(first + end)
            }
        }
    }

    /// Letters, digits and `. _ ~ - + / = : @`: the characters of UUIDs, Base64 and trace ids.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            // `-` `.` `/`, the digits, and `:`.
            UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}

/// Makes the ids of one event loop's requests. Each sequence has 64 random bits, so ids are unique
/// over all loops and restarts.
struct RequestIDSequence {
    private let start: UInt64 = .random(in: 0 ... .max)
    private var count: UInt64 = 0

    mutating func next() -> RequestID {
        count += 1
        return .made(start: start, number: count)
    }
}
