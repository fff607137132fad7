@testable import MicroHTTP

/// What clients do with compressed bodies.
enum Gzip {
    static func compress(_ text: String) -> [UInt8] {
        GzipEncoder.compress(Array(text.utf8), .kept) ?? []
    }

    static func decompress(_ bytes: [UInt8]) throws -> [UInt8] {
        var plain: [UInt8] = []
        let decoder = GzipDecoder(maximumBytes: .max)
        try bytes.withUnsafeBytes { try decoder?.write($0, to: &plain) }
        try decoder?.finish()
        return plain
    }
}

extension APIRequest {
    /// The body as the server reads it.
    var plainBody: [UInt8] {
        let isCompressed = fields.contains { $0.name == "Content-Encoding" && $0.value == "gzip" }
        return isCompressed ? (try? Gzip.decompress(body)) ?? body : body
    }
}
