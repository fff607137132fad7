/// A body that is sent piece by piece until its source ends.
///
/// Its connection leaves libmicrohttpd when the head is sent. A quiet stream takes a socket and 1.4 KB of memory
/// (`scripts/bench-servers` measures it), and 12 KiB more if it is compressed. The server pulls bytes from the
/// source only when the client can take them, so a slow client delays only its own stream.
package final class EventStream: Sendable {
    package let topic: any StreamTopic
    package let source: any EventSource

    /// - Parameter topic: its news wakes the stream.
    package init(topic: any StreamTopic, source: any EventSource) {
        self.topic = topic
        self.source = source
    }
}

/// The source of one stream's bytes. Used by one thread at a time, and released with the stream.
package protocol EventSource: Sendable {
    /// Returns the bytes to send next. Called again after they are sent, and each time the stream is woken. Must not
    /// block.
    ///
    /// - Parameter stream: if the source waits for something other than its topic, that must wake
    ///   this stream.
    mutating func next(_ stream: any Wakeable) -> EventPiece

    /// The last event of a stream that the server ends.
    func closingEvent() -> EventBytes?

    /// The seconds after which the source ends by itself, without being woken; nil if it does not.
    func secondsLeft() -> Double?
}

extension EventSource {
    package func secondsLeft() -> Double? { nil }
}

package enum EventPiece: Sendable {
    case bytes(EventBytes)
    /// No bytes now. The stream or its topic will be woken.
    case nothing
    /// No more bytes.
    case end
}

/// Bytes to send, rendered once and shared by streams.
package final class EventBytes: Sendable {
    /// The text as one chunk (RFC 9112, section 7.1): its length, the text, a line's end.
    private let chunk: [UInt8]
    private let shared = ResponseBudget.SharedReservation()
    private static let headCount = 10

    /// Sent when a stream is quiet, so that the server notices a lost client.
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

    /// The text without the chunk's frame.
    package var text: ArraySlice<UInt8> { chunk[Self.headCount..<chunk.count - 2] }

    /// The reservation that all streams which have not sent these bytes yet share; nil if the client's share is used up.
    func reservation(in share: ResponseBudget.Share) -> ResponseBudget.Reservation? {
        shared.reservation(chunk.count, of: self, in: share)
    }

    /// The bytes as they are sent.
    func wire(isChunked: Bool) -> ArraySlice<UInt8> {
        isChunked ? chunk[...] : text
    }
}

extension [UInt8] {
    /// Appends a block that only sets the client's last event id, unless the id is nil.
    package mutating func appendID(_ id: String?) {
        if let id { self += "id: \(id)\n\n".utf8 }
    }

    /// Appends a server-sent event. `data` must not contain a line break.
    package mutating func appendEvent(_ name: String, id: String?, data: some Collection<UInt8>) {
        if let id { self += "id: \(id)\n".utf8 }
        self += "event: \(name)\ndata: ".utf8
        self += data
        self += "\n\n".utf8
    }
}
