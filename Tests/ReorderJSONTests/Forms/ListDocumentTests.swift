import ReorderEngine
import Testing

@testable import ReorderJSON

@Suite struct ListDocumentTests {
    /// A list with a value of each kind.
    private static func list() throws -> ReorderableList {
        let deepest =
            String(repeating: "[", count: FormLimits.dataNesting)
            + String(repeating: "]", count: FormLimits.dataNesting)
        func entry(
            _ id: String, _ section: String? = nil, _ parent: String? = nil, data: String? = nil
        ) -> ReorderableList.Entry {
            ReorderableList.Entry(
                content: TaskContent(
                    id: id, title: "\(id)\u{7f}", collapsed: id == "b", locked: id == "c",
                    done: id == "d", data: data,
                    stamps: id == "a"
                        ? TaskStamps()
                        : TaskStamps(
                            createdAt: -1, updatedAt: 253_402_300_799_999,
                            completedAt: id == "d" ? 0 : nil,
                            createdBy: String(repeating: "\u{1}", count: 255), updatedBy: "\(id)\"",
                            completedBy: id == "d" ? "B" : nil)),
                section: section, parent: parent)
        }
        var list = try ReorderableList(
            settings: ListSettings(
                title: "", elementsOffset: 1, collapseSubElements: true, moves: .siblings,
                // The list exceeds them.
                maxDepth: 1, maxTasksPerSection: .max, tasksPerParent: 1, data: deepest),
            sections: [("s", "S"), ("empty", "")],
            tasks: [
                entry("a", data: deepest), entry("b", "s"), entry("c", "s", "b", data: "0"),
                entry("d", nil, "c", data: #""x""#),
            ], sectionData: ["empty": #"{"k":[1]}"#])
        list.times = ListTimes(createdAt: 1, updatedAt: 2)
        return list
    }

    @Test func aWrittenDocumentIsReadUnchanged() throws {
        let list = try Self.list()
        let json = ListDocument.json(id: "l", version: 3, of: list)
        let document = try ListDocument(json: json)
        #expect(document.id == "l")
        let back = try document.makeList()
        #expect(back == list)
        #expect(ListDocument.json(id: "l", version: 3, of: back) == json)
    }

    /// Tasks are written from the list's bytes and from strings.
    @Test(arguments: 0...4, [0, 1, 2, 4])
    func aWindowHasTheTasksOfTheList(offset: Int, limit: Int) throws {
        let list = try Self.list()
        let rows = list.tasks(fromRow: offset, limit: limit)
        let tasks = Array(list.tasks.dropFirst(offset).prefix(limit))
        for (isVisibleOnly, tasks) in [(true, rows), (false, tasks)] {
            let window = ListDocument.Window(
                isVisibleOnly: isVisibleOnly, offset: offset, limit: limit)
            let json = ListDocument.json(
                id: "l", version: 3, of: list, window, showsOffsetLock: true)
            var writer = JSONWriter()
            writer.name("tasks")
            writer.tasks(tasks)
            writer.endObject()
            #expect(json.suffix(writer.count).elementsEqual(writer.bytes))
        }
    }

    @Test func aListWithoutLimitsIsStoredAsBefore() throws {
        let list = ReorderableList(settings: ListSettings(title: "L"))
        let json = String(decoding: ListDocument.json(id: "l", version: 1, of: list), as: UTF8.self)
        #expect(!json.contains("max") && !json.contains("PerParent") && !json.contains("data"))
        let null =
            #"{"title":"L","maxDepth":null,"maxTasksPerSection":null,"tasksPerParent":null,"#
            + #""data":null}"#
        #expect(try ListDocument(json: Array(null.utf8)).makeList().settings == list.settings)
    }

    @Test func aTaskThatIsNotDoneHasNoCompletedAtAndNullIsNoTime() throws {
        let json = """
            {"title":"","createdAt":null,"updatedAt":"2026-11-18T12:06:40.1259+01:00","tasks":[\
            {"id":"a","title":"","completedAt":"2026-11-18T11:06:40Z","createdAt":null}]}
            """
        let list = try ListDocument(json: Array(json.utf8)).makeList()
        #expect(list.times == ListTimes(updatedAt: 1_795_000_000_125))
        #expect(list.task("a")?.content.stamps == TaskStamps())
    }

    @Test func onlyATrustedDocumentHasAuthors() throws {
        let json = """
            {"title":"","tasks":[{"id":"a","title":"","done":true,"createdBy":"A","updatedBy":"B",\
            "completedBy":7}]}
            """
        #expect(throws: JSONTypeError.self) { try ListDocument(json: Array(json.utf8)) }
        var reader = JSONReader(try JSONText(checking: Array(json.utf8), maximumDepth: 10))
        let list = try ListDocument(from: &reader) { "" }.makeList()
        #expect(list.task("a")?.content.stamps == TaskStamps())
    }

    @Test(arguments: [
        #"{"title":"","createdAt":1}"#, #"{"title":"","updatedAt":"today"}"#,
        #"{"title":"","completedAt":"2026-11-18T11:06:40Z"}"#,
        #"{"title":"","tasks":[{"title":"","createdAt":"2026-11-18"}]}"#,
        #"{"title":"","tasks":[{"title":"","done":true,"completedAt":"x"}]}"#,
    ])
    func malformedTimesAreRefused(json: String) {
        #expect(throws: JSONTypeError.self) { try ListDocument(json: Array(json.utf8)) }
    }

    @Test(arguments: [
        ("a", true), ("A.z_0~-", true), (String(repeating: "x", count: 64), true), ("", false),
        (String(repeating: "x", count: 65), false), ("a b", false), ("a/b", false),
        (".", false), ("..", false), ("...", true), (".a", true),
        ("é", false), ("a\u{0}", false), ("%41", false), ("a\n", false), ("a:b", false),
    ])
    func anIdHas1To64AllowedCharacters(id: String, isValid: Bool) {
        #expect(Identifier.isValid(id) == isValid)
    }

    @Test(arguments: [
        ("0", 0), (#""[[""#, 0), ("[]", 1), (#"{"a":[{}]}"#, 3), (#"["\"[",[]]"#, 2),
        (#"["\\",[[]]]"#, 3), ("[[],[[]],[]]", 3),
    ])
    func nestingCountsArraysAndObjectsOnly(text: String, depth: Int) {
        #expect(JSONSyntax.nesting(of: text) == depth)
    }

    @Test func dataIsStoredWithoutWhiteSpaceAndNullMeansNone() throws {
        for (json, data) in [
            (#" { "k" : [ 1.0 , " " ] } "#, #"{"k":[1.0," "]}"#), ("null", nil), ("false", "false"),
        ] {
            var reader = JSONReader(try JSONText(checking: Array(json.utf8)))
            #expect(try reader.readData() == data)
        }
    }
}
