import ReorderEngine
import Testing

@testable import ReorderJSON

@Suite struct ListLinesTests {
    private static let text = """
        {"id":"l","title":"é 😀","sections":[{"id":"s","title":"S","data":{"a":1}}],"version":7}
        {"id":"a","title":"A","data":[1.0]}\r
        {"id":"b","title":"\\n","parent":"a","done":true}
         {"id":"c","title":"C","section":"s"}
        """
    private static let json = """
        {"id":"l","title":"é 😀","sections":[{"id":"s","title":"S","data":{"a":1}}],
        "tasks":[{"id":"a","title":"A","data":[1.0]},{"id":"b","title":"\\n","parent":"a","done":true},
        {"id":"c","title":"C","section":"s"}]}
        """

    private func lines(bytes: Int = 1 << 20, tasks: Int = 100) -> ListLines {
        ListLines(maximumLineBytes: bytes, maximumTasks: tasks)
    }

    /// Reads a text that arrives in pieces which end at these offsets.
    private func read(
        _ text: String, cutAt offsets: [Int] = [], _ lines: ListLines? = nil
    ) throws(ListLines.Fault) -> ReorderableList {
        var lines = lines ?? self.lines()
        let bytes = Array(text.utf8)
        var (rest, start): ([UInt8], Int) = ([], 0)
        for offset in offsets {
            rest += bytes[start..<offset]
            start = offset
            rest.removeFirst(try lines.read(rest) { "made" })
        }
        return try lines.readEnd(rest + bytes[start...]) { "made" }
    }

    private func fault(_ text: String, _ lines: ListLines? = nil) -> ListLines.Fault? {
        do {
            _ = try read(text, lines)
            return nil
        } catch {
            return error
        }
    }

    @Test func anyPiecesGiveTheListOfTheDocument() throws {
        let document = try ListDocument(json: Array(Self.json.utf8))
        let expected = try document.makeList()
        #expect(expected.count == 3)
        let count = Self.text.utf8.count
        for first in 0...count {
            #expect(try read(Self.text, cutAt: [first]) == expected)
            for second in stride(from: first, through: count, by: 7) {
                #expect(try read(Self.text + "\n", cutAt: [first, second]) == expected)
            }
        }
        #expect(try read(Self.text, cutAt: Array(0...count)) == expected)
    }

    @Test func aCopyIsContinuedByItself() throws {
        var lines = lines()
        let head = Array("{\"title\":\"L\"}\n{\"id\":\"a\",\"title\":\"\"}\n".utf8)
        #expect(try lines.read(head) { "" } == head.count)
        var copies = [lines, lines]
        let longer = try copies[0].readEnd(Array(#"{"id":"b","title":""}"#.utf8)) { "" }
        #expect(longer.count == 2)
        #expect(try copies[1].readEnd([]) { "" }.count == 1)
        #expect(lines.list?.count == 1 && lines.lineCount == 2)
        #expect(lines.memoryBytes > 0)
    }

    @Test func sectionsAndTasksWithoutAnIdGetOne() throws {
        let list = try read("{\"title\":\"\",\"sections\":[{\"title\":\"S\"}]}\n{\"title\":\"T\"}")
        #expect(list.sections.map(\.id) == ["made"])
        #expect(list.tasks.map(\.id) == ["made"])
    }

    private static let taskMembers = [
        "id", "title", "section", "parent", "collapsed", "locked", "done", "data", "createdAt",
        "updatedAt", "completedAt",
    ]

    @Test func aFaultHasItsLine() {
        let head = "{\"title\":\"L\"}\n"
        let task = "{\"id\":\"a\",\"title\":\"A\"}\n"
        func type(_ kind: JSONTypeError.Kind, _ pointer: String) -> ListLines.Fault.Reason {
            .wrongType(JSONTypeError(kind: kind, pointer: pointer))
        }
        func syntax(_ kind: JSONError.Kind, _ offset: Int) -> ListLines.Fault.Reason {
            .notJSON(JSONError(kind: kind, pointer: "", offset: offset))
        }
        let cases: [(String, Int, ListLines.Fault.Reason)] = [
            ("", 1, syntax(.empty, 0)),
            ("\n", 1, syntax(.empty, 0)),
            (head + "\n" + task, 2, syntax(.empty, 0)),
            (head + task + "\n", 3, syntax(.empty, 0)),
            (head + task + " ", 3, syntax(.empty, 1)),
            (head + "{}{}", 2, syntax(.trailingBytes, 2)),
            (head + "[]", 2, type(.wrongType(expected: .object, found: .array), "")),
            (head + task + #"{"id":"b"}"#, 3, type(.missingMember("title"), "")),
            (
                head + #"{"title":"","titel":""}"#, 2,
                type(.unknownMember("titel", allowed: Self.taskMembers), "/titel")
            ),
            ("{}", 1, type(.missingMember("title"), "")),
            (
                #"{"title":"","tasks":[{"title":""}]}"#, 1,
                type(.invalid("Send each task as a line of its own."), "/tasks")
            ),
            (
                #"{"title":"","sections":[{"id":"s","title":""},{"id":"s","title":""}]}"#, 1,
                .wrongDocument(.duplicateSection(index: 1))
            ),
            (head + task + task, 3, .wrongDocument(.duplicateTask(index: 1))),
            (
                head + task + #"{"title":"","parent":"z"}"#, 3,
                .wrongDocument(.unknownParent(index: 1))
            ),
            (
                head + #"{"title":"","section":"z"}"#, 2,
                .wrongDocument(.unknownSection(index: 0))
            ),
        ]
        for (text, line, reason) in cases {
            #expect(fault(text) == ListLines.Fault(line: line, reason: reason), "\(text)")
        }
        #expect(fault(#"{"title":"","tasks":[]}"#) == nil)
    }

    @Test func theLimitOfALineIsExact() throws {
        let limit = 40
        func padded(_ line: String, _ count: Int) -> String {
            line + String(repeating: " ", count: count - line.utf8.count)
        }
        let (head, task) = (#"{"title":"L"}"#, #"{"title":"T"}"#)
        for text in [
            padded(head, limit), padded(head, limit) + "\n" + padded(task, limit) + "\n",
        ] {
            #expect(fault(text, lines(bytes: limit)) == nil)
        }
        for (text, line) in [
            (padded(head, limit + 1), 1), (padded(head, limit + 1) + "\n", 1),
            (head + "\n" + padded(task, limit + 1), 2),
            (head + "\n" + padded(task, limit + 1) + "\n" + task, 2),
        ] {
            let expected = ListLines.Fault(line: line, reason: .lineTooLong(maximumBytes: limit))
            #expect(fault(text, lines(bytes: limit)) == expected)
        }
        // A line that has not ended is refused as soon as it is too long.
        var incomplete = lines(bytes: limit)
        #expect(try incomplete.read([UInt8](repeating: 0x20, count: limit)) { "" } == 0)
        #expect(throws: ListLines.Fault.self) {
            try incomplete.read([UInt8](repeating: 0x20, count: limit + 1)) { "" }
        }
    }

    @Test func theLimitOfTasksIsExact() throws {
        func text(_ tasks: Int) -> String {
            (["{\"title\":\"L\"}"] + (0..<tasks).map { #"{"id":"t\#($0)","title":""}"# })
                .joined(separator: "\n")
        }
        #expect(try read(text(3), lines(tasks: 3)).count == 3)
        let expected = ListLines.Fault(line: 5, reason: .tooManyTasks(maximum: 3))
        #expect(fault(text(4), lines(tasks: 3)) == expected)
    }
}
