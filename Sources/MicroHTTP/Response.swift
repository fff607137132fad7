/// An answer: a status, header fields and a body.
///
/// `Content-Length`, `Date` and `Connection` are the server's to send. A field whose name or value
/// could not stand in a header (a line break in it) is left out, so that no data can add fields.
package struct Response: Sendable {
    package var status: Int { didSet { detach() } }
    package var headers: HeaderFields { didSet { detach() } }
    private var ownBody: [UInt8]
    /// Where set, this holds the body, and all of the response ready to be queued.
    private(set) var prepared: PreparedResponse?
    /// Where set, the body is what this gives, for as long as it does; `body` does not count.
    package private(set) var stream: EventStream?

    package init(status: Int, headers: HeaderFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        ownBody = body
    }

    /// The shared response as it is. Changing any part of it later gives an ordinary response.
    package init(_ prepared: PreparedResponse) {
        status = prepared.status
        headers = prepared.headers
        ownBody = []
        self.prepared = prepared
    }

    /// A response whose body is a stream. The connection ends with it.
    package init(status: Int, headers: HeaderFields, stream: EventStream) {
        self.init(status: status, headers: headers)
        self.stream = stream
    }

    /// The body's bytes. Complexity: O(length) for a prepared response.
    package var body: [UInt8] {
        get { prepared?.body ?? ownBody }
        set {
            prepared = nil
            ownBody = newValue
        }
    }

    private mutating func detach() {
        guard let prepared else { return }
        ownBody = prepared.body
        self.prepared = nil
    }
}
