import Foundation
import ReorderEngine
import ReorderJSON
import Testing

@Suite struct OperationFormTests {
    private static let content = TaskContent(
        id: "t1", title: "é \"\\\n\u{1F600}", collapsed: true, locked: true, done: true,
        data: #"{"k":[1.0,null,"\u0001"]}"#,
        stamps: TaskStamps(
            createdAt: 0, updatedAt: 1_795_000_000_125, completedAt: 1_500, createdBy: "A\"",
            updatedBy: "B", completedBy: "C"))

    private static func task(_ section: String?, _ parent: String?) -> ListTask {
        ListTask(
            content: content,
            placement: Placement(section: section, parent: parent, position: 3, row: nil),
            depth: 0, subtasks: 0)
    }

    static let operations: [(operation: ListOperation, json: String)] = [
        (
            .move(task: "a", section: "s", parent: nil, position: 0),
            #"{"op":"move","task":"a","section":"s","parent":null,"position":0}"#
        ),
        (
            .move(task: "a", section: nil, parent: "b", position: 12),
            #"{"op":"move","task":"a","section":null,"parent":"b","position":12}"#
        ),
        (.update(task: "a", set: TaskUpdate()), #"{"op":"update","task":"a","set":{}}"#),
        (
            .update(
                task: "a",
                set: TaskUpdate(title: "x", done: true, locked: false, data: .set("[null]"))),
            #"{"op":"update","task":"a","set":{"title":"x","done":true,"locked":false,"data":[null]}}"#
        ),
        (
            .update(
                task: "a",
                set: TaskUpdate(
                    done: true, data: nil, completed: ChangeStamp(time: 1_795_000_000_125))),
            #"{"op":"update","task":"a","set":{"done":true,"completedAt":"2026-11-18T11:06:40.125Z"}}"#
        ),
        (
            .update(
                task: "a",
                set: TaskUpdate(
                    done: true, data: nil,
                    completed: ChangeStamp(time: 1_795_000_000_125, author: "A"))),
            #"{"op":"update","task":"a","set":{"done":true,"completedAt":"2026-11-18T11:06:40.125Z","completedBy":"A"}}"#
        ),
        (
            .sectionInsert(section: "s", title: "x", position: 1, data: "[1]"),
            #"{"op":"section-insert","section":"s","title":"x","position":1,"data":[1]}"#
        ),
        (
            .sectionUpdate(section: "s", title: "x", data: .set("{}")),
            #"{"op":"section-update","section":"s","title":"x","data":{}}"#
        ),
        (
            .sectionInsert(section: "s", title: "x", position: 1, maxTasks: 3),
            #"{"op":"section-insert","section":"s","title":"x","position":1,"maxTasks":3}"#
        ),
        (
            .sectionUpdate(section: "s", title: "x", maxTasks: .set(3)),
            #"{"op":"section-update","section":"s","title":"x","maxTasks":3}"#
        ),
        (
            .sectionUpdate(section: "s", title: "x", data: .remove, maxTasks: .remove),
            #"{"op":"section-update","section":"s","title":"x","data":null,"maxTasks":null}"#
        ),
        (
            .sectionUpdate(section: "s", title: "x", data: .remove),
            #"{"op":"section-update","section":"s","title":"x","data":null}"#
        ),
        (
            .update(task: "a", set: TaskUpdate(data: .remove)),
            #"{"op":"update","task":"a","set":{"data":null}}"#
        ),
        (
            .collapse(task: "a", collapsed: false),
            #"{"op":"collapse","task":"a","collapsed":false}"#
        ),
        (.delete(task: "a"), #"{"op":"delete","task":"a"}"#),
        (
            .list(set: SettingsUpdate(title: "x", elementsOffset: 2)),
            #"{"op":"list","set":{"title":"x","elementsOffset":2}}"#
        ),
        (
            .list(set: SettingsUpdate(collapseSubElements: true, moves: .siblings)),
            #"{"op":"list","set":{"collapseSubElements":true,"moves":"siblings"}}"#
        ),
        (
            .list(
                set: SettingsUpdate(
                    maxDepth: .set(16), maxTasksPerSection: .remove, tasksPerParent: .set(.max))),
            #"{"op":"list","set":{"maxDepth":16,"maxTasksPerSection":null,"#
                + #""tasksPerParent":9223372036854775807}}"#
        ),
        (
            .list(set: SettingsUpdate(title: "x", data: .set(#"{"a":1.50}"#))),
            #"{"op":"list","set":{"title":"x","data":{"a":1.50}}}"#
        ),
        (.list(set: SettingsUpdate(data: .remove)), #"{"op":"list","set":{"data":null}}"#),
        (
            .sectionInsert(section: "s", title: "x", position: 1),
            #"{"op":"section-insert","section":"s","title":"x","position":1}"#
        ),
        (
            .sectionUpdate(section: "s", title: ""),
            #"{"op":"section-update","section":"s","title":""}"#
        ),
        (
            .sectionMove(section: "s", position: 0),
            #"{"op":"section-move","section":"s","position":0}"#
        ),
        (.sectionDelete(section: "s"), #"{"op":"section-delete","section":"s"}"#),
        (.replace, #"{"op":"replace"}"#),
    ]

    private func read(_ json: String) throws -> ListOperation {
        var reader = JSONReader(try JSONText(checking: Array(json.utf8)))
        return try ListOperation(from: &reader)
    }

    private func written(_ operation: ListOperation) -> String {
        var writer = JSONWriter()
        writer.operation(operation)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func everyOperationIsWrittenAsSpecifiedAndReadAgain() throws {
        for (operation, json) in Self.operations {
            #expect(written(operation) == json)
            #expect(try read(json) == operation)
        }
    }

    @Test func anInsertedTaskIsReadWithoutDerivedMembers() throws {
        for task in [Self.task("s", nil), Self.task("s", "p"), Self.task(nil, nil)] {
            #expect(try read(written(.insert(task))) == .insert(task))
        }
    }

    @Test func theOrderOfMembersDoesNotMatter() throws {
        #expect(
            try read(#"{"position":1,"parent":null,"section":null,"task":"a","op":"move"}"#)
                == .move(task: "a", section: nil, parent: nil, position: 1))
    }

    @Test(arguments: [
        "{}", #"{"op":"fly"}"#, #"{"op":"move","task":"a"}"#, #"{"op":"delete"}"#,
        #"{"op":"collapse","task":"a"}"#, #"{"op":"insert"}"#, #"{"op":"insert","task":"a"}"#,
        #"{"op":"section-insert","section":"s","title":"x"}"#, #"{"op":"section-move"}"#,
        #"{"op":"delete","task":"a","x":1}"#, #"{"op":"update","task":"a","set":{"id":"b"}}"#,
        #"{"op":"insert","task":{"id":"a","title":"x"}}"#, "[]",
    ])
    func malformedOperationsAreRefused(json: String) {
        #expect(throws: JSONTypeError.self) { try read(json) }
    }

    @Test func aWrittenChangeIsReadUnchanged() throws {
        let at = Date(timeIntervalSince1970: 1_795_000_000.125)
        for client in [nil, "phone \"7\""] {
            let change = ChangeDocument(
                version: 7, at: at, client: client,
                operations: Self.operations.map(\.operation) + [.insert(Self.task("s", nil))])
            let json = change.json()
            #expect(
                String(decoding: json, as: UTF8.self)
                    .hasPrefix(#"{"version":7,"at":"2026-11-18T11:06:40.125Z","#))
            let back = try ChangeDocument(json: json)
            #expect(back.version == 7)
            #expect(back.at == at)
            #expect(back.client == client)
            #expect(back.operations == change.operations)
            #expect(back.json() == json)
        }
    }

    /// Later servers may add members.
    @Test func unknownMembersOfAChangeAreIgnored() throws {
        let json = """
            {"new":{"a":[1]},"version":7,"at":"2026-11-18T11:06:40.125Z","kind":"merged",\
            "ops":[{"op":"delete","task":"a"}]}
            """
        let change = try ChangeDocument(json: Array(json.utf8))
        #expect(change.version == 7)
        #expect(change.kind == nil)
        #expect(change.operations == [.delete(task: "a")])
    }

    @Test(arguments: [ChangeDocument.Kind.created, .deleted])
    func theKindOfAChangeIsFoundInItsBytes(kind: ChangeDocument.Kind) throws {
        let at = Date(timeIntervalSince1970: 1_795_000_000)
        func bytes(_ kind: ChangeDocument.Kind?, _ operations: [ListOperation]) -> [UInt8] {
            ChangeDocument(
                version: 7, at: at, client: #""kind":"deleted""#, kind: kind,
                operations: operations
            ).json()
        }
        #expect(ChangeDocument.kind(ofJSON: bytes(kind, [.replace])) == kind)
        #expect(ChangeDocument.kind(ofJSON: bytes(nil, [.replace])) == nil)
        #expect(ChangeDocument.kind(ofJSON: bytes(nil, [.delete(task: "a")])) == nil)
        #expect(try ChangeDocument(json: bytes(kind, [.replace])).kind == kind)
    }

    @Test func timesAreWrittenLikeFoundations() {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Days of all kinds of years, each with its first and last millisecond. The first one is
        // the first day of the Gregorian calendar: Foundation uses the Julian calendar before that
        // day, but RFC 3339 does not.
        for day in stride(from: -141_427, through: 2_932_896, by: 997) {
            for milliseconds in [Int64(day) * 86_400_000, Int64(day) * 86_400_000 + 86_399_999] {
                let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000 + 0.000_2)
                let change = ChangeDocument(version: 1, at: date, client: nil, operations: [])
                let json = String(decoding: change.json(), as: UTF8.self)
                guard json.contains("\"\(date.formatted(format))\"") else {
                    Issue.record("\(json) is \(date.formatted(format))")
                    return
                }
            }
        }
    }
}
