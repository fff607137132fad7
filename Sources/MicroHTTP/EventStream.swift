/// A body that is sent piece by piece, for as long as its source has more to come.
///
/// Its connection leaves libmicrohttpd once the head is sent: what is open and quiet costs a socket
/// and a few hundred bytes, and nothing a request. The bytes are pulled, not pushed: a client that
/// reads slowly makes its own source wait, and nobody else.
package struct EventStream: Sendable {
    package let topic: StreamTopic
    package var source: any EventSource

    /// - Parameter topic: what wakes the stream, together with all others of that topic.
    package init(topic: StreamTopic, source: any EventSource) {
        self.topic = topic
        self.source = source
    }
}

/// Where the bytes of one stream come from. Used by one thread at a time, and released with the
/// stream.
package protocol EventSource: Sendable {
    /// What is to be sent next. Asked again once all of it is sent, and after each time the stream
    /// was woken. Must not block.
    ///
    /// - Parameter stream: to be woken where `nothing` is given and more comes from elsewhere than
    ///   the topic.
    mutating func next(_ stream: any Wakeable) -> EventPiece

    /// What is sent last where the server ends the stream, between two events.
    func farewell() -> EventBytes?
}

package enum EventPiece: Sendable {
    case bytes(EventBytes)
    /// Nothing for now: the stream, or its topic, will be woken.
    case nothing
    /// Nothing ever again.
    case end
}

/// What can be told, from any thread, that there is more.
package protocol Wakeable: AnyObject, Sendable {
    func wake()
}

/// Bytes to be sent, maybe on many streams: built once and shared.
package final class EventBytes: Sendable {
    /// The text as one chunk (RFC 9112, section 7.1): its length, the text, a line's end.
    private let chunk: [UInt8]
    private static let headCount = 10

    /// Comes between events while there are none, so that a peer that is gone is noticed.
    static let heartbeat = EventBytes { $0 += ": \n\n".utf8 }

    /// - Parameter write: appends the text.
    package init(_ write: (inout [UInt8]) -> Void) {
        var chunk = [UInt8](repeating: UInt8(ascii: "0"), count: Self.headCount)
        write(&chunk)
        var rest = chunk.count - Self.headCount
        for index in (0..<Self.headCount - 2).reversed() {
            chunk[index] = Array("0123456789abcdef".utf8)[rest & 15]
            rest >>= 4
        }
        chunk[Self.headCount - 2] = UInt8(ascii: "\r")
        chunk[Self.headCount - 1] = UInt8(ascii: "\n")
        chunk += "\r\n".utf8
        self.chunk = chunk
    }

    /// The text without its frame.
    package var text: ArraySlice<UInt8> { chunk[Self.headCount..<chunk.count - 2] }

    /// What goes over a connection.
    func wire(isChunked: Bool) -> ArraySlice<UInt8> {
        isChunked ? chunk[...] : text
    }
}

extension [UInt8] {
    /// Appends a server-sent event. `data` must not hold a line's end.
    package mutating func appendEvent(_ name: String, id: String?, data: some Collection<UInt8>) {
        if let id { self += "id: \(id)\n".utf8 }
        self += "event: \(name)\ndata: ".utf8
        self += data
        self += "\n\n".utf8
    }
}
