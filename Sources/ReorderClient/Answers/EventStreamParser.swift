/// One event of a stream of server-sent events.
struct ServerEvent: Sendable, Equatable {
    /// "message" if the stream does not name the type.
    var type: String
    var data: String
}

/// Parses `text/event-stream` as defined by the WHATWG's HTML standard, incrementally.
///
/// Lines end with LF, CR or CRLF. A byte order mark at the start is skipped. Comments, ids, unknown
/// fields and an incomplete event at the end of the stream are discarded.
struct EventStreamParser: Sendable {
    /// A line or an event is longer than anything that the server sends, so this is not its stream.
    struct TooLong: Error, Equatable {}

    /// In bytes.
    private let limit: Int
    private(set) var line: [UInt8] = []
    private var isFirstLine = true
    private var endedWithCR = false
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false
    /// The delay before reconnecting that the server requested, in milliseconds.
    private(set) var retryMilliseconds: Int?

    init(limitBytes: Int = 64 << 20) { limit = limitBytes }

    /// Parses the next bytes and returns the events that they complete. O(bytes).
    mutating func read(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [ServerEvent] {
        var events: [ServerEvent] = []
        for byte in bytes {
            let wasCR = endedWithCR
            endedWithCR = false
            switch byte {
            case UInt8(ascii: "\n") where wasCR: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                endedWithCR = byte == UInt8(ascii: "\r")
                if let event = endLine() { events.append(event) }
            default:
                guard line.count + data.count < limit else { throw TooLong() }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() -> ServerEvent? {
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return dispatch() }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            field(line[...], value: [])
            return nil
        }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        field(line[..<colon], value: value)
        return nil
    }

    private mutating func field(_ name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        switch String(decoding: name, as: UTF8.self) {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case "retry" where !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) }:
            retryMilliseconds = Int(String(decoding: value, as: UTF8.self))
        default: break
        }
    }

    private mutating func dispatch() -> ServerEvent? {
        defer {
            type = ""
            data.removeAll(keepingCapacity: true)
            hasData = false
        }
        guard hasData else { return nil }
        return ServerEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self))
    }
}
