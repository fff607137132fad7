import Foundation
import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

/// The client's writes to a server with the file store.
@Suite struct WritingTests {
    @Test func everyKindOfOperationReachesTheServer() async throws {
        try await withServer { server in
            let list = try await server.client().list("l")
            try doEveryKind(on: list)
            await list.settle()
            try await expectEveryKind(on: server, list)
            list.close()
        }
    }

    @Test func offlineOperationsReachTheServerLater() async throws {
        try await withServer { server in
            let transport = LossyTransport(server.transport)
            let list = try await server.client(over: transport).list("l")
            transport.isCut = true
            try doEveryKind(on: list)
            transport.isCut = false
            try await list.settleRetrying()
            try await expectEveryKind(on: server, list)
            list.close()
        }
    }

    @Test func operationsWithLostResponsesAreRepeatedAndAppliedOnce() async throws {
        try await withServer { server in
            let transport = LossyTransport(server.transport)
            let list = try await server.client(over: transport).list("l")
            transport.loseAnswers(3)
            try doEveryKind(on: list)
            try await list.settleRetrying()
            #expect(transport.lostAnswers == 3)
            // The server reports that it had applied the operation before.
            #expect(transport.answers.first?.contains(#""replayed":true"#) == true)
            try await expectEveryKind(on: server, list)
            list.close()
        }
    }

    @Test func aBatchIsAppliedOnceIfTheAppEndsBeforeItsResponse() async throws {
        try await withServer { server in
            let transport = LossyTransport(server.transport)
            let list = try await server.client(over: transport).list("l")
            transport.loseAnswers(.max)
            let task = try list.create("New")
            try list.move(["a"], to: .after("c"))
            while transport.lostAnswers == 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(list.status.pending == 2)
            list.close()

            let again = try await server.client().list("l")
            await again.settle()
            let made = try await server.history().filter {
                if case .insert(let inserted) = $0 { inserted.id == task } else { false }
            }
            #expect(made.count == 1)
            #expect(again.snapshot == (try await server.snapshot().list))
            #expect(again.snapshot.tasks.map(\.id) == ["b", "c", "a", task])
            again.close()
        }
    }

    @Test func aRefusedOperationIsReportedAndUndone() async throws {
        try await withServer { server in
            let transport = LossyTransport(server.transport)
            let list = try await server.client(over: transport).list("l")
            let section = "s"
            _ = try list.perform([.createSection(section, title: "S", position: nil)])
            await list.settle()
            transport.isCut = true
            try list.delete("a")
            try list.create("mine", id: "taken")
            try list.update("b", TaskChanges(title: "gone"))
            try list.delete("c")
            _ = try list.perform([.updateSection(section, SectionUpdate(title: "gone"))])
            try await server.write(.delete("b"))
            try await server.write(.update("c", .init(locked: true)))
            try await server.write(.deleteSection(section, tasks: .keep))
            try await server.write(.create(TaskContent(id: "taken", title: ""), at: Destination()))
            transport.isCut = false
            let expected: [(Command.Kind, String)] = [
                (.create, "id_taken"), (.update, "task_not_found"), (.delete, "locked"),
                (.sectionUpdate, "section_not_found"),
            ]
            try await list.settleRetrying()
            let refusals = list.unacknowledgedRefusals
            #expect(refusals.map(\.operation.command.kind) == expected.map(\.0))
            #expect(refusals.map(\.code) == expected.map(\.1))
            let document = try await server.snapshot()
            #expect(list.snapshot == document.list)
            #expect(list.snapshot.tasks.map(\.id) == ["c", "taken"])
            list.close()
        }
    }

    @Test func refusalsWaitForTheirAcknowledgement() async throws {
        try await withServer { server in
            let transport = LossyTransport(server.transport)
            let list = try await server.client(over: transport).list("l")
            transport.isCut = true
            try list.update("b", TaskChanges(title: "gone"))
            try list.delete("c")
            list.close()
            try await server.write(.delete("b"))
            try await server.write(.update("c", .init(locked: true)))

            // Sent and refused after a restart, and delivered after another one.
            let client = server.client()
            let sending = try await client.list("l")
            await sending.settle()
            // The deletion of the task has arrived, too.
            _ = await sending.refreshNow()
            sending.close()
            let listening = try await client.list("l")
            let refusals = listening.unacknowledgedRefusals
            #expect(refusals.map(\.code) == ["task_not_found", "locked"])
            #expect(refusals.map(\.tasks) == [["b"], ["c"]])
            listening.acknowledge(listening.unacknowledgedRefusals)
            listening.close()
            let after = try await client.list("l")
            #expect(after.unacknowledgedRefusals.isEmpty)
            after.close()
        }
    }

    /// A merge patch alone would join the data of both updates.
    @Test func aSectionWhoseDataChangesTwiceHasTheLastData() throws {
        var list = ReorderableList(settings: ListSettings(title: ""))
        _ = try Command.createSection("s", title: "S", position: nil).apply(to: &list)
        let updates = ["a", "b"].map {
            ListOperation.sectionUpdate(
                section: "s", title: "S", data: DataUpdate(json: #"{"\#($0)":1}"#))
        }
        for command in Command.all(of: updates, on: list) { _ = try command.apply(to: &list) }
        #expect(list.section("s")?.data == #"{"b":1}"#)
    }

    private func doEveryKind(on list: SyncedList) throws {
        let sections: [Command] = [
            .createSection("s", title: "S", position: nil, data: #"{ "x": 1 }"#),
            .createSection("t", title: "T", position: 0),
            .updateSection("s", SectionUpdate(title: "Renamed")),
            .updateSection("s", SectionUpdate(data: .set(#"{"y":2}"#))),
            .moveSection("s", position: 0),
        ]
        for command in sections { _ = try list.perform([command]) }
        try list.create("New", id: "n", data: #"{"x":1}"#, at: .after("a"))
        try list.move(["c"], to: Destination(place: .init(.subtasks(of: "n"))))
        try list.move(["b", "a"], to: Destination(place: .init(.section("s"))))
        try list.collapse("n")
        try list.update("n", TaskChanges(title: "Title", done: true, data: #"{"y":2}"#))
        let settings = SettingsUpdate(title: "List", collapseSubElements: true)
        _ = try list.perform([.deleteSection("t", tasks: .keep)])
        _ = try list.perform([.settings(settings)])
        try list.delete("a")
    }

    /// Both sides are equal, and each operation was applied once.
    private func expectEveryKind(on server: ServerUnderTest, _ list: SyncedList) async throws {
        let document = try await server.snapshot()
        let shown = list.snapshot
        #expect(shown == document.list)
        #expect(list.status.version == document.version)
        #expect(shown.tasks.map(\.id) == ["n", "c", "b"])
        #expect(shown.sections.map(\.title) == ["Renamed"])
        #expect(shown.sections.map(\.data) == [#"{"x":1,"y":2}"#])
        // The times are those of the server.
        let times = try #require(shown.task("n")?.content.stamps)
        #expect(times.createdAt != nil && times.updatedAt != nil && times.completedAt != nil)
        #expect(shown.task("n")?.content.title == "Title")
        #expect(shown.task("n")?.content.collapsed == true)
        #expect(shown.task("c")?.placement.parent == "n")
        #expect(shown.task("b")?.placement.section == "s")
        #expect(shown.settings.title == "List")
        let history = try await server.history()
        func count(_ isIt: (ListOperation) -> Bool) -> Int { history.count(where: isIt) }
        #expect(count { if case .insert = $0 { true } else { false } } == 1)
        #expect(count { if case .update = $0 { true } else { false } } == 1)
        #expect(count { if case .delete = $0 { true } else { false } } == 1)
        #expect(count { if case .sectionInsert = $0 { true } else { false } } == 2)
        #expect(count { if case .sectionUpdate = $0 { true } else { false } } == 2)
        #expect(count { if case .sectionMove = $0 { true } else { false } } == 1)
        #expect(count { if case .sectionDelete = $0 { true } else { false } } == 1)
        #expect(count { if case .move = $0 { true } else { false } } == 3)
    }
}
