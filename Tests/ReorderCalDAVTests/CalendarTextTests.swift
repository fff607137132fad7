import RandomRuns
import Testing

@testable import ReorderCalDAV

@Suite struct CalendarTextTests {
    private func text(_ text: String) throws(CalendarText.Fault) -> CalendarText {
        try CalendarText(Array(text.utf8))
    }

    @Test func aTextIsReadWithItsFolds() throws {
        let text = try text(
            "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\n b\nSUMM\r\n ARY;X=\"a:b\":one\\, tw\n\to\nBEGIN:VALARM\nUID:z\n"
                + "END:VALARM\nDUE:20261201\n\nEND:VTODO\nEND:VCALENDAR\n")
        #expect(text.uid == "ab")
        let meaning = TaskMeaning(text)
        #expect(meaning.title == "one, two")
        #expect(meaning.due == "2026-12-01")
        #expect(text.lineEnd == [0x0A])
    }

    @Test(arguments: [
        "", "BEGIN:VCALENDAR", "BEGIN:VCALENDAR\nEND:VTODO\n", "x",
        "BEGIN:VCALENDAR\nx\nEND:VCALENDAR",
        "BEGIN:VCALENDAR\nEND:VCALENDAR\nBEGIN:VCALENDAR\nEND:VCALENDAR", "\0",
        "BEGIN:VCALENDAR\nEND:VCALENDAR\nA:b\n",
        "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\u{1}\nEND:VTODO\nEND:VCALENDAR\n",
    ])
    func whatIsNoCalendarIsRefused(_ content: String) {
        #expect(throws: CalendarText.Fault.self) { try text(content) }
    }

    @Test func otherComponentsAndSeveralTasksAreRefused() {
        func calendar(_ content: String) -> String { "BEGIN:VCALENDAR\n\(content)END:VCALENDAR\n" }
        let task = "BEGIN:VTODO\nUID:a\nEND:VTODO\n"
        #expect(throws: CalendarText.Fault.component("VEVENT")) {
            try text(calendar("BEGIN:VEVENT\nUID:a\nEND:VEVENT\n"))
        }
        #expect(throws: CalendarText.Fault.self) { try text(calendar("METHOD:PUBLISH\n" + task)) }
        #expect(throws: CalendarText.Fault.self) { try text(calendar(task + task)) }
        #expect(throws: CalendarText.Fault.self) {
            try text(calendar(task + "BEGIN:VTODO\nUID:b\nRECURRENCE-ID:20261201\nEND:VTODO\n"))
        }
        #expect(throws: CalendarText.Fault.self) { try text(calendar("BEGIN:VTODO\nEND:VTODO\n")) }
        #expect(throws: Never.self) {
            try text(calendar("BEGIN:VTODO\nUID:a\nRECURRENCE-ID:20261201\nEND:VTODO\n" + task))
        }
    }

    @Test func aCharacterThatIsFoldedInTheMiddleIsRead() throws {
        let bytes =
            Array("BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:a\r\nSUMMARY:".utf8)
            + [0xC3, 0x0D, 0x0A, 0x20, 0xA4] + Array("\r\nEND:VTODO\r\nEND:VCALENDAR\r\n".utf8)
        #expect(TaskMeaning(try CalendarText(bytes)).title == "ä")
    }

    /// What a client writes comes back byte for byte, whatever it is.
    @Test func aRandomTextComesBackUnchanged() throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        let server = try CalendarServer()
        server.makeList()
        for number in 0..<RandomRun.operations(300) {
            let text = RandomCalendar(uid: "u\(number)").make(using: &random)
            let path = "/dav/calendars/l/u\(number).ics"
            let response = server.send("PUT", path, text)
            #expect(response.status == 201, "seed \(RandomRun.seed)")
            let read = server.send("GET", path)
            #expect(read.body == Array(text.utf8), "seed \(RandomRun.seed)")
            #expect(response.headers["ETag"] == read.headers["ETag"], "seed \(RandomRun.seed)")
            server.send("DELETE", path)
        }
    }
}

/// A text of random properties, folds and line ends.
struct RandomCalendar {
    let uid: String

    func make(using random: inout SeededGenerator) -> String {
        let end = random.chance(50) ? "\r\n" : "\n"
        var lines = ["SUMMARY:\(word(&random))", "X-APPLE-SORT-ORDER:\(random.below(1 << 30))"]
        let others = [
            "DESCRIPTION", "CATEGORIES", "X-\(random.below(9))", "ATTENDEE;CN=\"a;b:c\"", "STATUS",
            "PRIORITY", "DUE;TZID=Europe/Berlin", "DUE;TZID=Nowhere", "URL", "COMPLETED",
            "LOCATION",
            "RELATED-TO;RELTYPE=SIBLING", "RELATED-TO", "PERCENT-COMPLETE", "x-oc-hidesubtasks",
        ]
        for _ in 0..<random.below(12) {
            lines.append("\(others.randomElement(using: &random) ?? ""):\(value(&random))")
        }
        if random.chance(30) { lines.append("BEGIN:VALARM\(end)UID:x\(end)END:VALARM") }
        lines.shuffle(using: &random)
        let all =
            ["BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:\(uid)"] + lines + [
                "END:VTODO", "END:VCALENDAR",
            ]
        return all.map { fold($0, end, &random) + end }.joined()
    }

    private func value(_ random: inout SeededGenerator) -> String {
        switch random.below(8) {
        case 0: "20261\(random.below(3))01T0\(random.below(10))0000Z"
        case 1: "20261201"
        case 2:
            ["COMPLETED", "CANCELLED", "needs-action", "100", "0"].randomElement(using: &random)
                ?? ""
        case 3: "https://example.org/\(random.below(100))"
        case 4: "\(random.below(10))"
        case 5: ""
        default: word(&random)
        }
    }

    private func word(_ random: inout SeededGenerator) -> String {
        let parts = [
            "a", "ä", "\\,", "\\n", "\\;", " ", "😀", "e\u{301}", "\"", ",", "\t", "\\",
            "&",
        ]
        return (0..<random.below(20)).map { _ in parts.randomElement(using: &random) ?? "" }
            .joined()
    }

    private func fold(_ line: String, _ end: String, _ random: inout SeededGenerator) -> String {
        line.unicodeScalars.enumerated().map { index, scalar in
            (index > 0 && scalar != "\r" && scalar != "\n" && !line.contains("\n")
                && random.chance(4)
                ? end + " " : "") + String(scalar)
        }.joined()
    }
}
