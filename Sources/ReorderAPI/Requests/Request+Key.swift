import MicroHTTP
import ReorderCrypto
import ReorderService

extension Request {
    /// The maximum number of characters in a key.
    static let maximumKeyLength = 255

    /// Returns the request's `Idempotency-Key`, or nil if it has none.
    ///
    /// If the value is a quoted string (RFC 9651), the key is the content of the string.
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
                "At most one Idempotency-Key is allowed. It must have 1 to \(Self.maximumKeyLength) visible "
                    + "ASCII characters other than \" and \\, and may be in quotes.")
        }
        return String(decoding: key, as: UTF8.self)
    }

    /// The stored form of a key. It includes the client's identity, so that different clients can
    /// use the same key.
    func own(_ key: String) -> String { tokenAccess.map { "\($0.identity) \(key)" } ?? key }

    /// A digest of everything that determines the request's effect.
    var digest: [UInt8] {
        var parts: [UInt8] = []
        // The length before each part prevents two different requests from having the same
        // bytes.
        func add(_ part: some Collection<UInt8>) {
            withUnsafeBytes(of: UInt64(part.count).littleEndian) { parts += $0 }
            parts += part
        }
        add(method.rawValue.utf8)
        add(rawPath.utf8)
        add(query.raw.utf8)
        for field in ["If-Match", "If-None-Match"] as [StaticString] {
            add(headers.all(field).joined(separator: ",").utf8)
        }
        add((bodyReader as? ListUpload)?.digest(endingWith: body) ?? body)
        return SHA256.digest(of: parts)
    }
}

extension OperationKey {
    /// - Parameter op: the JSON text of the op. Its formatting does not matter.
    init(id: String, op: String) {
        self.init(id: id, digest: SHA256.digest(of: Array(op.utf8)))
    }
}
