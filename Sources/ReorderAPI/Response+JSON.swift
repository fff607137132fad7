import MicroHTTP
import ReorderJSON

extension Response {
    /// A JSON answer.
    ///
    /// - Parameter tag: the entity tag of what it tells of.
    static func json(
        status: Int = 200, tag: String? = nil, headers: HeaderFields = [:], _ body: [UInt8]
    ) -> Response {
        var headers = headers
        headers.add("Content-Type", "application/json")
        if let tag { headers.add("ETag", tag) }
        return Response(status: status, headers: headers, body: body)
    }

    /// An answer to a read. It may be another one the next time: caches have to ask, and where nothing
    /// changed are told so in few bytes. What has no tag they can't ask about, and keep nothing of.
    static func read(tag: String? = nil, _ body: [UInt8]) -> Response {
        let caching = tag == nil ? "no-store" : "no-cache"
        return json(tag: tag, headers: ["Cache-Control": caching], body)
    }
}
