extension Response {
    /// Smaller bodies are not compressed, because that would save less than a packet.
    static let minimumCompressedBytes = 1_024
    /// A body that is compressed for one request may have at most this size, because it is
    /// compressed on the event loop: 2 ms. Larger ones are sent in the identity form.
    static let maximumBytesCompressedOnce = 256 << 10
    /// A body that is kept may have this size to be compressed on the event loop: 1 ms. Larger ones
    /// should be compressed by another thread.
    package static let maximumBytesKeptByLoop = 64 << 10

    /// Whether the form of the response depends on `Accept-Encoding`: the body is long enough, and of
    /// a type that gzip makes smaller.
    var isCompressible: Bool {
        guard bodyCount >= Self.minimumCompressedBytes, let type = headers["Content-Type"] else {
            return false
        }
        return type.hasPrefix("application/json") || type.hasPrefix("text/")
            || [
                "application/problem+json", "application/xml", "application/yaml", "image/svg+xml",
            ].contains { type.hasPrefix($0) }
    }

    /// The form of a response to a read that is kept and sent many times. It has `Vary`; if it is
    /// compressed, it also has `Content-Encoding` and an entity tag of its own. Complexity: O(body's
    /// length).
    ///
    /// - Parameter coding: as in `Request.coding`.
    package func coded(_ coding: ContentCoding?) -> Response {
        var response = self
        response.isCoded = true
        guard let coding, isCompressible else { return response }
        response.headers.addVary("Accept-Encoding")
        if coding == .gzip { response.compress(.kept, isRead: true) }
        return response
    }

    /// Compresses the body, unless that makes it larger.
    ///
    /// - Parameter isRead: whether the entity tag is that of the body. The tag in the response to a
    ///   write is for the resource.
    mutating func compress(_ settings: GzipEncoder.Settings, isRead: Bool) {
        guard let compressed = GzipEncoder.compress(body, settings), compressed.count < bodyCount
        else { return }
        body = compressed
        headers["Content-Encoding"] = "gzip"
        if isRead, let tag = headers["ETag"] { headers["ETag"] = ContentCoding.gzip.tag(tag) }
    }
}

extension HeaderFields {
    /// Adds a name to `Vary`.
    package mutating func addVary(_ name: String) {
        self["Vary"] = self["Vary"].map { "\($0), \(name)" } ?? name
    }
}

/// A response that never changes, in the forms for all clients.
package struct CodedResponse: Sendable {
    package let identity: Response
    private let gzip: Response
    /// For a server that compresses no responses.
    private let uncoded: Response

    package init(_ response: Response) {
        uncoded = response.coded(nil)
        identity = response.coded(.identity)
        gzip = response.coded(.gzip)
    }

    /// The form that a request accepts. If the client already has the identity form, it is that one.
    package func form(for request: Request) -> Response {
        guard let coding = request.coding else { return uncoded }
        guard coding == .gzip else { return identity }
        let tag = identity.headers["ETag"] ?? ""
        return request.seenTags?.contains(tag[...]) == true ? identity : gzip
    }
}
