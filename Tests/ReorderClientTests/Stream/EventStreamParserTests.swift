import Testing

@testable import ReorderClient

@Suite struct EventStreamParserTests {
    private struct Case {
        var text: String
        var events: [ServerEvent]
        var retry: Int?

        init(_ text: String, _ events: [ServerEvent], retry: Int? = nil) {
            (self.text, self.events, self.retry) = (text, events, retry)
        }
    }

    private static func event(_ data: String, type: String = "message") -> ServerEvent {
        ServerEvent(type: type, data: data)
    }

    private static let cases = [
        Case("data: a\n\n", [event("a")]),
        Case("data:a\n\n", [event("a")]),
        Case("data:  a\n\n", [event(" a")]),
        Case("data\n\n", [event("")]),
        Case("data\ndata\n\ndata:", [event("\n")]),
        Case("data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
        Case(
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event",
            [event("first event"), event("second event")]),
        Case("event: change\nid: 7\ndata: {}\n\n", [event("{}", type: "change")]),
        // An event without data does not keep its type.
        Case("event: x\nid: 3\n\ndata: a\n\n", [event("a")]),
        Case(": heartbeat\n:\n\n: \n", []),
        Case("retry: 1500\nretry: 1x\nretry:\n", [], retry: 1500),
        Case("unknown: 1\nDATA: 2\n data: 3\ndata: a: b\n\n", [event("a: b")]),
        Case("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n", [event("a")]),
        Case("data: ä€😀\n\n", [event("ä€😀")]),
        Case("data: cut", []),
        Case("\n\n\n", []),
    ]

    @Test(arguments: ["\n", "\r\n", "\r"], [1, 2, 3, 7, 1_000])
    func eventsDoNotDependOnLineEndsOrChunks(end: String, size: Int) throws {
        for test in Self.cases {
            let bytes = Array(test.text.replacing("\n", with: end).utf8)
            var parser = EventStreamParser()
            var events: [ServerEvent] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += try parser.read(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(events == test.events, "\(test.text.debugDescription)")
            #expect(parser.retryMilliseconds == test.retry)
        }
    }

    @Test func lineEndsMayBeMixed() throws {
        var parser = EventStreamParser()
        let events = try parser.read(Array("data: a\r\r\ndata: b\n\r\n".utf8))
        #expect(events == [Self.event("a"), Self.event("b")])
    }

    @Test func aLineThatDoesNotEndIsBounded() throws {
        var parser = EventStreamParser(limitBytes: 10)
        #expect(try parser.read(Array("data: 1234\n\n".utf8)).count == 1)
        #expect(throws: EventStreamParser.TooLong.self) {
            try parser.read(Array("data: 12345".utf8))
        }
    }

    @Test func anEventOfManyLinesIsBoundedToo() throws {
        var parser = EventStreamParser(limitBytes: 40)
        #expect(throws: EventStreamParser.TooLong.self) {
            for _ in 0..<20 { _ = try parser.read(Array("data: 1234\n".utf8)) }
        }
    }
}
