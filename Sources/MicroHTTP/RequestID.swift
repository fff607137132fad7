import Glibc

/// What a request is called in logs and in its answer's `X-Request-Id`.
///
/// The client, or a proxy before it, may give it. What it gives ends up in log lines and in a header
/// field, so it is taken only where it is short and plain; else the server makes one.
enum RequestID {
    static let fieldName = "X-Request-Id"
    static let longest = 128

    /// The id that a field's value is; `nil` where it is none that is taken.
    static func given(_ value: UnsafeBufferPointer<UInt8>) -> String? {
        guard (1...longest).contains(value.count), value.allSatisfy(isPlain) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    /// Letters, digits and `. _ ~ - + / = : @`: what UUIDs, Base64 and trace ids are made of.
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

/// Makes the ids of one event loop's requests: no two the same, on any loop and after any restart, as
/// far as 64 random bits tell starts apart. Which of two came first they tell, and nothing else.
struct RequestIDSequence {
    private let start: String
    private var count: UInt64 = 0

    init() {
        var random = SystemRandomNumberGenerator()
        start = Self.hexadecimal(random.next())
    }

    mutating func next() -> String {
        count += 1
        return "\(start)-\(String(count, radix: 16))"
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
