import RandomRuns
import ReorderImportExport
import Testing

/// Whatever a file contains is in the list or in the report, in every format that is only read.
///
/// Each line has a word that no other line has.
@Suite struct EveryWordTests {
    private typealias Form = (ListFileFormat, (inout SeededGenerator) -> [String])

    private static func pick(_ some: [String], _ random: inout SeededGenerator) -> String {
        some[random.below(some.count)]
    }

    private static func word(_ number: Int) -> String { "word\(number)x" }

    /// A file of such lines: pieces, the word, and an end.
    private static func text(
        _ format: ListFileFormat, _ starts: [String], ends: [String]
    ) -> Form {
        (
            format,
            { random in
                (1...20).map { number in
                    let start = (0..<random.below(4)).map { _ in pick(starts, &random) }.joined()
                    return start + word(number) + pick(ends, &random)
                }
            }
        )
    }

    /// A file of one JSON object on each line.
    private static func objects(
        _ format: ListFileFormat, start: String, members: [String], values: [String], end: String
    ) -> Form {
        (
            format,
            { random in
                let count = 15
                return [start]
                    + (2...count).map { number in
                        var object = #"{"id":\#(random.below(9))"#
                        var names = members.shuffled(using: &random)
                        for name in names.prefix(random.below(3)) {
                            object += ",\"\(name)\":" + pick(values, &random)
                            names.removeFirst()
                        }
                        object += ",\"\(names[0])\":\"\(word(number))\"}"
                        return object + (number == count ? "" : ",")
                    } + [end]
            }
        )
    }

    private static var forms: [Form] {
        [
            text(
                .todoTxt,
                [
                    "x ", "(A) ", "(E) ", "2026-11-30 ", "due:2026-11-30 ", "+", "@", "due:",
                    "pri:B ",
                    "- ",
                ],
                ends: ["", " +a", " due:2026-11-30", " pri:Z", ":"]),
            text(
                .taskPaper,
                [
                    "\t", "\t\t", "    ", "- ", "@", "@done ", "@due(", "@due(2026-11-30) ", "* ",
                    "-",
                ],
                ends: [
                    "", ":", " @done", ": @a", ")", " @done(", " @due(2026-11-30)", " @priority(1)",
                ]),
            text(
                .org,
                [
                    "* ", "** ", "**** ", "*** TODO ", "* DONE ", "[#A] ", "[#x] ", ":",
                    "DEADLINE: ",
                    "DEADLINE: <2026-11-30> ", "SCHEDULED: <", "CLOSED: [x] ", "#+TITLE: ", "# ",
                    "#+TODO: ", ":PROPERTIES:", " ", "- [ ] ",
                ], ends: ["", ":", " :a:b:", ">", "]", " [#B]"]),
            (
                .ics,
                { random in
                    var lines = ["BEGIN:VCALENDAR"]
                    while lines.count < 30 {
                        lines.append("BEGIN:" + pick(["VTODO", "VTODO", "VEVENT"], &random))
                        let component = lines[lines.count - 1].dropFirst(6)
                        for _ in 0..<random.below(7) {
                            let name = pick(
                                [
                                    "SUMMARY:", "DESCRIPTION:", "CATEGORIES:a\\,", "DUE:",
                                    "STATUS:",
                                    "DUE;TZID=X:20261130T100000", "URL:", "PRIORITY:", " ",
                                    "X;Y=\"a:b\":",
                                    "RELATED-TO;RELTYPE=CHILD:", "PERCENT-COMPLETE:", "",
                                    "COMMENT:",
                                ], &random)
                            let isFirst = lines[lines.count - 1].hasPrefix("BEGIN")
                            lines.append(
                                (isFirst && name == " " ? "X:" : name) + word(lines.count + 1))
                        }
                        lines.append("END:" + component)
                        if random.below(3) == 0 {
                            lines.append(
                                pick(["X-WR-CALNAME:", "X-A:", "NAME:"], &random)
                                    + word(lines.count + 1))
                        }
                    }
                    return lines + ["END:VCALENDAR"]
                }
            ),
            (
                .opml,
                { random in
                    var lines = ["<opml><head>"]
                    var open = 0
                    for number in 2...20 {
                        let word = word(number)
                        if number < 4 {
                            lines.append(
                                pick(
                                    [
                                        "<title>\(word)</title>", "<x>\(word)</x>",
                                        "<!-- \(word) -->",
                                    ],
                                    &random))
                            if number == 3 { lines[2] += "</head><body>" }
                            continue
                        }
                        let attributes =
                            (0..<random.below(3)).map { _ in
                                pick(
                                    [
                                        "text='a'", "title='b'", "url='c'", "htmlUrl='d'",
                                        "_complete='true'",
                                    ], &random) + " "
                            }.joined()
                            + pick(
                                ["text", "title", "_note", "url", "_status", "_complete", "x"],
                                &random)
                        switch random.below(6) {
                        case 0 where open > 0:
                            lines.append("</outline>\(word)")
                            open -= 1
                        case 1: lines.append("<![CDATA[\(word)]]>")
                        case 2, 3: lines.append("<outline \(attributes)='\(word)'/>")
                        default:
                            lines.append("<outline \(attributes)=\"\(word)\">")
                            open += 1
                        }
                    }
                    return lines + [String(repeating: "</outline>", count: open) + "</body></opml>"]
                }
            ),
            objects(
                .googleTasks, start: #"{"items":[{"title":"L","items":["#,
                members: ["title", "notes", "due", "status", "x", "links", "kind"],
                values: [
                    #""""#, #""2026-11-30T00:00:00Z""#, #""completed""#, "null", "[]", "true",
                ],
                end: "]}]}"),
            objects(
                .microsoftToDo, start: #"[{"displayName":"L","tasks":["#,
                members: ["title", "importance", "status", "categories", "body.x", "recurrence"],
                values: [#""high""#, #""notStarted""#, #"["a"]"#, "null"], end: "]}]"),
            objects(
                .vikunja, start: #"[{"title":"L","hex_color":"","tasks":["#,
                members: [
                    "title", "description", "due_date", "done", "priority", "labels", "comments",
                ],
                values: ["2", "true", #"[{"title":"a"}]"#, #""0001-01-01T00:00:00Z""#], end: "]}]"),
            objects(
                .trello, start: #"{"name":"L","lists":[{"id":"a","name":"A"}],"cards":["#,
                members: ["name", "desc", "due", "dueComplete", "labels", "shortUrl", "badges"],
                values: ["true", "null", #""2026-11-30""#, #"[{"color":"red"}]"#], end: "]}"),
            objects(
                .deck, start: #"{"title":"L","stacks":[{"id":1,"title":"S","cards":["#,
                members: [
                    "title", "description", "duedate", "done", "labels", "archived", "owner",
                ],
                values: ["null", "true", #""2026-11-30T10:00:00+00:00""#, "[]"], end: "]}]}"),
            (
                .todoist,
                { random in
                    ["TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,DATE,DURATION"]
                        + (2...20).map { number in
                            let kind = pick(["task", "task", "note", "section", "meta"], &random)
                            var cells = (0..<7).map { _ in
                                pick(["", "", "1", "@a", "\"b, c\"", "2026-11-30"], &random)
                            }
                            cells[2...3] = [
                                pick(["", "1", "4"], &random), pick(["1", "2"], &random),
                            ]
                            cells[random.below(cells.count)] = word(number)
                            return "\(kind)," + cells.joined(separator: ",")
                        }
                }
            ),
            (
                .csv,
                { random in
                    let header = [
                        "title", "notes", "list", "section", "due", "labels", "priority", "done",
                        "url",
                        "other",
                    ]
                    .shuffled(using: &random)
                    return [header.joined(separator: ",")]
                        + (2...20).map { number in
                            var cells = header.map { _ in
                                pick(["", "", "1", "high", "done", "2026-11-30", "a;b"], &random)
                            }
                            cells[random.below(cells.count)] = word(number)
                            return cells.joined(separator: ",")
                        }
                }
            ),
        ]
    }

    private static let columns = [
        "title", "notes", "list", "section", "due", "labels", "priority", "done", "url",
    ].map { "\($0)=\($0)" }

    @Test(arguments: 0..<12)
    func eachWordIsInAListOrInTheReport(index: Int) throws {
        let (format, make) = Self.forms[index]
        var random = SeededGenerator(seed: RandomRun.seed)
        var words = 0
        for round in 0..<RandomRun.operations(20_000) / 100 {
            words += try check(Array(make(&random).joined(separator: "\n").utf8), format, round)
        }
        #expect(words > 100)
    }

    /// Files that are damaged anywhere.
    @Test(arguments: 0..<12)
    func mutationsOfFilesLoseNoWord(index: Int) throws {
        let (format, make) = Self.forms[index]
        var random = SeededGenerator(seed: RandomRun.seed)
        var words = 0
        for round in 0..<RandomRun.operations(20_000) / 200 {
            let lines = make(&random)
            // The names of columns are not in a list.
            let names = [.csv, .todoist].contains(format) ? Array((lines[0] + "\n").utf8) : []
            var bytes = Array(lines.dropFirst(names.isEmpty ? 0 : 1).joined(separator: "\n").utf8)
            for _ in 0...random.below(4) { Self.mutate(&bytes, &random) }
            bytes = names + bytes
            // The file may be refused.
            words +=
                (try? format.readAll(bytes, columns: format == .csv ? Self.columns : [])) == nil
                ? 0 : try check(bytes, format, round)
        }
        #expect(words > 20)
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let start = random.below(bytes.count)
        let range =
            start..<min(bytes.count, start + 1 + random.below(random.below(4) == 0 ? 200 : 4))
        let pieces = [
            "\n", "\r", "\t", " ", "\"", "'", "\\", ":", ";", ",", "<", ">", "&", "-", "*", "@",
            "#",
            "{", "}", "[", "]", "(", ")", "0", "9", "x", "null", "é", "\u{301}", "\u{FEFF}",
            "\u{0}",
        ]
        switch random.below(4) {
        case 0: bytes.removeSubrange(range)
        case 1: bytes.insert(contentsOf: bytes[range], at: random.below(bytes.count))
        case 2: bytes[start] = UInt8(truncatingIfNeeded: random.below(256))
        default: bytes.insert(contentsOf: pick(pieces, &random).utf8, at: start)
        }
    }

    /// Returns the number of words.
    private func check(_ bytes: [UInt8], _ format: ListFileFormat, _ round: Int) throws -> Int {
        let lists = try format.readAll(bytes, columns: format == .csv ? Self.columns : [])
        guard !lists.isEmpty else { return 0 }
        let outline: String.UTF8View = lists.map {
            TextOutline($0.list, [.title, .done, .data]).description
        }
        .joined(separator: "\n").utf8
        let reported = Set(lists.flatMap(\.remarks).flatMap { Array($0.lines) })
        var words = 0
        var line = 1
        var last: UInt8 = 0
        // A word without the letters of escapes before it.
        for (index, byte) in bytes.enumerated() {
            let isReturn =
                byte == UInt8(ascii: "\r") && !["json", "opml"].contains(format.fileEnding)
            if isReturn || byte == UInt8(ascii: "\n") && last != UInt8(ascii: "\r") { line += 1 }
            last = byte
            guard byte == UInt8(ascii: "w") else { continue }
            let word = String(decoding: bytes[index...].prefix(7), as: UTF8.self)
            // The first line of a table has names.
            guard word.hasPrefix("word"), let end = word.utf8.firstIndex(of: UInt8(ascii: "x")),
                word[..<end].utf8.dropFirst(4).allSatisfy({ (48...57).contains($0) }),
                line > 1 || ![.csv, .todoist].contains(format)
            else { continue }
            words += 1
            try #require(
                outline.firstRange(of: word.utf8[...end]) != nil || reported.contains(line),
                "\(format), seed \(RandomRun.seed), text \(round), line \(line):\n\(String(decoding: bytes, as: UTF8.self))\n\(String(outline))"
            )
        }
        return words
    }
}
