import Testing

/// A stream as a client reads it, event by event.
protocol EventReader: AnyObject {
    /// The response's head; without a stream, the whole response.
    var answer: APIResponse { get }
    /// Waits for the next event; nil at the end of the stream.
    func next() throws -> StreamedEvent?
}

struct StreamedEvent: Equatable, Sendable {
    var name: String
    /// The version in the id of a list's event.
    var id: Int?
    /// The id.
    var textID: String?
    var data: JSONValue
    /// The event's text.
    var text: String

    /// Parses the lines of one event; nil if it contains only comments.
    init?(_ text: String) {
        self.text = text
        name = ""
        data = nil
        for line in text.split(separator: "\n") {
            let value = line.drop { $0 != ":" }.dropFirst(2)
            if line.hasPrefix("id: ") {
                (id, textID) = (Int(value.prefix { $0 != "-" }), String(value))
            }
            if line.hasPrefix("event: ") { name = String(value) }
            if line.hasPrefix("data: ") { data = (try? JSONValue(json: Array(value.utf8))) ?? nil }
        }
        if name.isEmpty { return nil }
    }
}

/// Splits a stream's text into events.
struct EventText {
    private var text: [UInt8] = []

    mutating func append(_ bytes: some Sequence<UInt8>) { text += bytes }

    mutating func next() -> StreamedEvent? {
        let end = Array("\n\n".utf8)
        while let start = text.indices.first(where: { text[$0...].starts(with: end) }) {
            let event = StreamedEvent(String(decoding: text[..<start], as: UTF8.self))
            text.removeFirst(start + end.count)
            if let event { return event }
        }
        return nil
    }
}

extension EventReader {
    /// Waits for the next event, which must have this name.
    @discardableResult
    func expect(
        _ name: String, id: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> StreamedEvent {
        let event = try #require(try next(), "the stream ended", sourceLocation: sourceLocation)
        #expect(event.name == name, "\(event.text)", sourceLocation: sourceLocation)
        if let id {
            #expect(
                event.textID == versionToken(id), "\(event.text)", sourceLocation: sourceLocation)
        }
        return event
    }
}

/// Checks every event against the contract.
final class CheckedReader: EventReader {
    private let reader: any EventReader
    private let isFeed: Bool

    /// - Parameter isFeed: whether the stream has the changes of many lists.
    init(_ reader: any EventReader, isFeed: Bool) {
        self.reader = reader
        self.isFeed = isFeed
    }

    var answer: APIResponse { reader.answer }

    func next() throws -> StreamedEvent? {
        guard let event = try reader.next() else { return nil }
        let contract = try Contract.embedded.get()
        let schema = isFeed ? Self.feedSchema(of: event) : Self.schema(of: event)
        let faults = contract.faults(
            of: event.data, schema: contract.root["components"]?["schemas"]?[schema], at: "")
        for fault in faults { Issue.record("event \(event.text): \(fault)") }
        return event
    }

    private static func schema(of event: StreamedEvent) -> String {
        ["change": "Change", "drag": "DragEvent"][event.name] ?? "ListPlace"
    }

    private static func feedSchema(of event: StreamedEvent) -> String {
        switch event.name {
        case "hello", "stopping": "FeedPlace"
        default: event.data["change"] == nil ? "ListPlace" : "FeedChange"
        }
    }
}
