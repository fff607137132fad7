/// One request, complete: its head and its whole body.
package struct Request: Sendable {
    package let method: HTTPMethod
    /// The body's bytes; empty where there is none. Never more than the server's limit.
    package internal(set) var body: [UInt8]
    /// What stood at the route's `:names`, percent-decoded. May contain any character but control
    /// characters, a `/` too (from `%2F`): such a value is an id that can't exist.
    package internal(set) var pathParameters = PathParameters()
    /// The pattern of the route that was taken (`/lists/:id`); empty before routing.
    package internal(set) var route = ""
    /// The route that was taken, among the router's; nil before routing.
    var routeIndex: Int?
    /// What the rate limiter has found.
    var verdict: RateLimiter.Verdict?
    /// Who sent it: who is at the other end of the connection, maybe a proxy. nil where it did not come
    /// over one of the internet's.
    package internal(set) var client: ClientAddress?

    /// Who sends it, where the router's gate has found out.
    package var principal: (any Principal)?

    let head: RequestHead

    init(method: HTTPMethod, head: RequestHead, body: [UInt8]) {
        self.method = method
        self.head = head
        self.body = body
    }

    /// A request as if it had come over a connection, for calling a router directly.
    package init(
        method: HTTPMethod, target: String, headers: HeaderFields = [:], body: [UInt8] = []
    ) {
        var builder = RequestHeadBuilder()
        let target = Array(target.utf8)
        target.withUnsafeBufferPointer { target in
            let mark = target.firstIndex(of: UInt8(ascii: "?"))
            builder.begin(
                path: UnsafeBufferPointer(rebasing: target[..<(mark ?? target.count)]),
                query: mark.map { UnsafeBufferPointer(rebasing: target[($0 + 1)...]) })
        }
        for field in headers.fields {
            Array(field.name.utf8).withUnsafeBufferPointer { name in
                Array(field.value.utf8).withUnsafeBufferPointer { value in
                    builder.add(name: name, value: value)
                }
            }
        }
        self.init(method: method, head: builder.finish(), body: body)
    }

    /// The path as it was sent, undecoded, without the query.
    package var rawPath: String { String(decoding: head.path, as: UTF8.self) }
    /// The path's last segment, where the path is just that after `prefix`, it is plain ASCII, and
    /// the request has no query; else `nil`, which says nothing. For answers that are ready.
    package func plainSegment(after prefix: StaticString) -> String? {
        guard head.targetLength == head.pathLength else { return nil }
        return head.path.withUnsafeBufferPointer { path in
            let prefix = UnsafeBufferPointer(
                start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
            guard path.count > prefix.count, path.starts(with: prefix) else { return nil }
            let segment = UnsafeBufferPointer(rebasing: path[prefix.count...])
            let isPlain = segment.allSatisfy {
                $0 < 0x80 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "%")
            }
            return isPlain ? String(decoding: segment, as: UTF8.self) : nil
        }
    }

    /// The query. Keep it in a variable where several values are read.
    package var query: Query { Query(raw: String(decoding: head.query, as: UTF8.self)) }
    package var headers: RequestHeaders { RequestHeaders(head: head) }
}

/// The values of a route's parameters by name.
package struct PathParameters: Sendable {
    var names: [String] = []
    var values: [String] = []

    /// The decoded value of `:name`; nil where the route's pattern does not have it.
    package subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}
