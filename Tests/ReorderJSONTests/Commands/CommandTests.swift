import ReorderEngine
import Testing

@testable import ReorderJSON

/// The one meaning of a command, and its form in JSON.
@Suite struct CommandTests {
    private static func list() throws -> ReorderableList {
        try ReorderableList(
            settings: ListSettings(title: "l", data: #"{"a":1}"#),
            sections: [(id: "s", title: "S")],
            tasks: ["a", "b"].map {
                .init(content: TaskContent(id: $0, title: $0, data: #"{"x":1,"y":2}"#))
            })
    }

    private static func read(_ json: String) throws -> (Command, id: String?) {
        var reader = JSONReader(try JSONText(checking: Array(json.utf8)))
        let form = try CommandForm.op(from: &reader)
        let id = form.opID
        return (try form.command(reader), id)
    }

    private static func text(_ command: Command) -> String {
        var writer = JSONWriter()
        writer.command(command, opID: "o")
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func error(_ body: () throws -> Void) -> JSONTypeError? {
        do {
            try body()
            return nil
        } catch {
            return error as? JSONTypeError
        }
    }

    /// Devices have these texts in their outboxes: they must stay readable, and mean the same.
    private static let texts: [(String, Command)] = [
        (
            #""op":"move","task":"a","after":"b","before":"c","parent":"p","position":2,"undo":true"#,
            .move(
                MoveRequest(
                    .task("a"), to: undo("b", "c", .init(.subtasks(of: "p"), position: 2))))
        ),
        (
            #""op":"move","tasks":["a","b"],"section":null"#,
            .move(MoveRequest(.tasks(["a", "b"]), to: Destination(place: .init(.section(nil)))))
        ),
        (
            #""op":"move","task":"a","parent":null,"position":0"#,
            .move(
                MoveRequest(.task("a"), to: Destination(place: .init(.topLevel, position: 0))))
        ),
        (
            #""op":"move","task":"a","position":3"#,
            .move(MoveRequest(.task("a"), to: Destination(place: .init(.own, position: 3))))
        ),
        (
            #""op":"move","fromRow":1,"toRow":2,"section":"s","level":1"#,
            .move(
                MoveRequest(
                    .row(1), to: Destination(RowDestination(.rowInSection(2, "s"), level: 1))))
        ),
        (
            #""op":"move","fromRows":[1,2],"toOffset":0"#,
            .move(MoveRequest(.rows([1, 2]), to: Destination(RowDestination(.offset(0)))))
        ),
        (
            #""op":"move","from":{"section":null,"row":1},"to":{"section":"s","row":0}"#,
            .move(
                MoveRequest(
                    .path(nil, row: 1), to: Destination(RowDestination(.path("s", row: 0)))))
        ),
        (
            #""op":"create","id":"n","title":"N","collapsed":true,"locked":true,"done":true,"#
                + #""data":{"a":1},"after":"b","before":"c","section":"s","position":0,"undo":true"#,
            .create(
                TaskContent(
                    id: "n", title: "N", collapsed: true, locked: true, done: true,
                    data: #"{"a":1}"#),
                at: undo("b", "c", .init(.section("s"), position: 0)))
        ),
        (
            #""op":"create","id":"n","title":"N","parent":"p""#,
            .create(
                TaskContent(id: "n", title: "N"),
                at: Destination(place: .init(.subtasks(of: "p"))))
        ),
        (
            #""op":"update","task":"a","set":{"title":"A","done":true,"locked":false,"data":null}"#,
            .update("a", TaskUpdate(title: "A", done: true, locked: false, data: "null"))
        ),
        (#""op":"collapse","task":"a","collapsed":false"#, .collapse("a", false)),
        (#""op":"delete","task":"a""#, .delete("a")),
        (
            #""op":"list","set":{"title":"L","elementsOffset":1,"collapseSubElements":true,"#
                + #""moves":"siblings","maxDepth":3,"maxTasksPerSection":null,"tasksPerParent":2,"data":[1]}"#,
            .settings(
                SettingsUpdate(
                    title: "L", elementsOffset: 1, collapseSubElements: true, moves: .siblings,
                    maxDepth: .set(3), maxTasksPerSection: .remove, tasksPerParent: .set(2),
                    data: .set("[1]")))
        ),
        (
            #""op":"section-create","section":"t","title":"T","position":1,"data":{"a":1},"maxTasks":2"#,
            .createSection("t", title: "T", position: 1, data: #"{"a":1}"#, maxTasks: 2)
        ),
        (
            #""op":"section-update","section":"s","title":"T","data":null,"maxTasks":null"#,
            .updateSection("s", SectionUpdate(title: "T", data: .remove, maxTasks: .remove))
        ),
        (#""op":"section-move","section":"s","position":1"#, .moveSection("s", position: 1)),
        (
            #""op":"section-delete","section":"s","tasks":"delete""#,
            .deleteSection("s", tasks: .delete)
        ),
    ]

    private static func undo(
        _ after: TaskID, _ before: TaskID, _ place: Destination.Place
    ) -> Destination {
        var destination = Destination(after: after, before: before, place: place)
        destination.isUndo = true
        return destination
    }

    @Test func anOpIsReadAsItIsWritten() throws {
        for (text, command) in Self.texts {
            let json = #"{"opId":"o",\#(text)}"#
            let read = try Self.read(json)
            #expect(read.0 == command, "\(text)")
            #expect(read.id == "o")
            #expect(Self.text(command) == json)
        }
    }

    /// No member of the table is forgotten in the reader, the writer or the texts above.
    @Test func theTextsHaveAllMembers() throws {
        for kind in Command.Kind.allCases {
            var met: Set<String> = []
            for (text, command) in Self.texts where command.kind == kind {
                var reader = JSONReader(try JSONText(checking: Array("{\(text)}".utf8)))
                try reader.beginObject()
                while reader.nextMember() != nil { met.insert(reader.memberName) }
            }
            #expect(met == Set(["op"] + kind.members.map { "\($0)" }), "\(kind)")
        }
    }

    @Test func aMissingMemberIsNamed() {
        for (json, member) in [
            (#"{"task":"a"}"#, "op"), (#"{"op":"create","title":"N"}"#, "id"),
            (#"{"op":"create","id":"n"}"#, "title"), (#"{"op":"update"}"#, "task"),
            (#"{"op":"collapse"}"#, "task"), (#"{"op":"delete"}"#, "task"),
            (#"{"op":"section-create","section":"s"}"#, "title"),
            (#"{"op":"section-create","title":"S"}"#, "section"),
            (#"{"op":"section-update","section":"s"}"#, "title"),
            (#"{"op":"section-move","section":"s"}"#, "position"),
            (#"{"op":"section-delete"}"#, "section"),
        ] {
            let error = Self.error { _ = try Self.read(json) }
            #expect(error?.kind == .missingMember(member), "\(json)")
        }
    }

    /// A request of its own has the members of `set` in its body, and its path has the task or the section.
    @Test func aBodyHasTheMembersThatThePathLacks() throws {
        func read(
            _ kind: Command.Kind, _ json: String, task: TaskID? = nil, section: SectionID? = nil
        ) throws -> Command {
            var reader = JSONReader(try JSONText(checking: Array(json.utf8)))
            return try Command(
                bodyOf: kind, task: task, section: section, from: &reader, makeID: { "made" })
        }
        #expect(try read(.update, "{}", task: "a") == .update("a", TaskUpdate()))
        #expect(
            try read(.update, #"{"done":true}"#, task: "a") == .update("a", TaskUpdate(done: true)))
        #expect(try read(.collapse, "{}", task: "a") == .collapse("a", true))
        #expect(try read(.list, #"{"data":1}"#) == .settings(SettingsUpdate(data: .set("1"))))
        #expect(
            try read(.create, #"{"title":"N"}"#)
                == .create(TaskContent(id: "made", title: "N"), at: Destination()))
        #expect(
            try read(.sectionCreate, #"{"id":"t","title":"T","data":null}"#)
                == .createSection("t", title: "T", position: nil))
        #expect(
            try read(.sectionUpdate, "{}", section: "s") == .updateSection("s", SectionUpdate()))
        for (kind, json) in [
            (.create, #"{"title":"","undo":true}"#), (.collapse, #"{"task":"a"}"#),
            (.update, #"{"set":{}}"#), (.sectionCreate, #"{"section":"s"}"#),
            (.create, #"{"title":"","toRow":1}"#),
        ] as [(Command.Kind, String)] {
            let error = Self.error { _ = try read(kind, json, task: "b") }
            guard case .unknownMember? = error?.kind else {
                Issue.record("\(json): \(String(describing: error))")
                continue
            }
        }
    }

    @Test func dataIsMerged() throws {
        var list = try Self.list()
        let patch = #"{"x":null,"z":3}"#
        for (command, operation) in [
            (
                .update("a", TaskUpdate(data: patch)),
                .update(task: "a", set: TaskUpdate(data: .set(#"{"y":2,"z":3}"#)))
            ),
            (
                .update("b", TaskUpdate(data: "null")),
                .update(task: "b", set: TaskUpdate(data: .remove))
            ),
            (
                .settings(SettingsUpdate(data: .set(patch))),
                .list(set: SettingsUpdate(data: .set(#"{"a":1,"z":3}"#)))
            ),
            (
                .updateSection("s", SectionUpdate(data: .set(patch))),
                .sectionUpdate(section: "s", title: "S", data: .set(#"{"z":3}"#))
            ),
        ] as [(Command, ListOperation)] {
            #expect(try command.apply(to: &list).operations == [operation])
        }
    }

    @Test func afterAFailureTheListIsUnchanged() throws {
        var list = try Self.list()
        let before = list
        let large = "[\"\(String(repeating: "x", count: FormLimits.dataBytes - 12))\"]"
        let patch = #"{"b":\#(large),"c":1}"#
        for (command, failure) in [
            (.delete("c"), .refused(.taskNotFound("c"))),
            (.update("a", TaskUpdate(title: "A", data: patch)), .dataTooLarge(ofSection: false)),
            (.settings(SettingsUpdate(data: .set(patch))), .dataTooLarge(ofSection: false)),
            (
                .updateSection("s", SectionUpdate(title: "T", data: .set(patch))),
                .dataTooLarge(ofSection: true)
            ),
        ] as [(Command, Command.Failure)] {
            do {
                _ = try command.apply(to: &list)
                Issue.record("\(command)")
            } catch {
                #expect(error == failure)
            }
            #expect(list == before)
        }
    }

    @Test func tasksAreRenamed() {
        let names = ["a": "A", "b": "B", "c": "C", "p": "P", "n": "M"]
        for (_, command) in Self.texts {
            let renamed = command.renamingTasks(names)
            #expect(renamed.tasks == command.tasks.map { names[$0] ?? $0 })
            let text = Self.text(renamed)
            for name in names.keys where !text.contains("\"\(name)\":") {
                #expect(!text.contains("\"\(name)\""), "\(text)")
            }
        }
    }
}
