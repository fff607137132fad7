import MicroHTTP
import ReorderJSON

extension Response {
    /// A JSON response.
    ///
    /// - Parameter tag: the entity tag of the resource.
    static func json(
        status: Int = 200, tag: String? = nil, headers: HeaderFields = [:], _ body: [UInt8]
    ) -> Response {
        var headers = headers
        headers.add("Content-Type", "application/json")
        if let tag { headers.add("ETag", tag) }
        return Response(status: status, headers: headers, body: body)
    }

    /// The 304 response for a client that has the content with this tag.
    ///
    /// - Parameters:
    ///   - tag: the tag of the identity form.
    ///   - coding: the form that the client has; nil if the server compresses no responses.
    init(notModified tag: String, _ coding: ContentCoding?) {
        self.init(
            status: 304, headers: ["Cache-Control": "no-cache", "ETag": coding?.tag(tag) ?? tag])
        if coding != nil { headers.addVary("Accept-Encoding") }
    }

    /// A response to a read. Caches must revalidate it, and get a short 304 response if it has not
    /// changed. Without a tag it can't be revalidated, so it must not be cached.
    static func read(tag: String? = nil, _ body: [UInt8]) -> Response {
        let caching = tag == nil ? "no-store" : "no-cache"
        return json(tag: tag, headers: ["Cache-Control": caching], body)
    }
}

extension Request {
    /// Whether the client prefers a short response to a write (RFC 7240).
    var prefersMinimal: Bool { preference("return")?.lowercased() == "minimal" }
}

extension Response {
    /// Says that the response is short because the client prefers that.
    mutating func applyMinimal() { headers.add("Preference-Applied", "return=minimal") }
}
