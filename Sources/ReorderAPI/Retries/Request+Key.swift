import MicroHTTP
import ReorderCrypto
import ReorderService

extension Request {
    /// The most characters that a key may have.
    static let maximumKeyLength = 255

    /// The request's `Idempotency-Key`; `nil` where it has none.
    ///
    /// In quotes, as RFC 9651 writes a string, it is what is between them.
    func idempotencyKey() throws(Problem) -> String? {
        guard let field = headers["Idempotency-Key"] else { return nil }
        var key = field.utf8[...]
        if key.count >= 2, key.first == UInt8(ascii: "\""), key.last == UInt8(ascii: "\"") {
            key = key.dropFirst().dropLast()
        }
        let isValid = key.allSatisfy { character in
            (0x21...0x7E).contains(character) && character != UInt8(ascii: "\"")
                && character != UInt8(ascii: "\\")
        }
        guard isValid, (1...Self.maximumKeyLength).contains(key.count),
            headers.all("Idempotency-Key").count == 1
        else {
            throw Problem(
                .badRequest,
                "There is one Idempotency-Key at most, of 1 to \(Self.maximumKeyLength) visible "
                    + "ASCII characters without \" and \\, in quotes or not.")
        }
        return String(decoding: key, as: UTF8.self)
    }

    /// A key as it is kept: what one sender calls a request is nothing to another.
    func own(_ key: String) -> String { grant.map { "\($0.identity) \(key)" } ?? key }

    /// Everything that says what the request asks.
    var digest: [UInt8] {
        var parts: [UInt8] = []
        // Each with its length, so that nothing can pass from one part to the next.
        func add(_ part: some Collection<UInt8>) {
            withUnsafeBytes(of: UInt64(part.count).littleEndian) { parts += $0 }
            parts += part
        }
        add(method.rawValue.utf8)
        add(rawPath.utf8)
        add(query.raw.utf8)
        for field in ["If-Match", "If-None-Match"] {
            add(headers.all(field).joined(separator: ",").utf8)
        }
        add(body)
        return SHA256.digest(of: parts)
    }
}

extension OperationKey {
    /// - Parameter op: the op's JSON text, however it was written.
    init(id: String, op: String) {
        self.init(id: id, digest: SHA256.digest(of: Array(op.utf8)))
    }
}
