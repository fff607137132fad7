import Foundation
import RandomRuns
import ReorderEngine
import ReorderJSON
import Simulation
import Testing

@testable import ReorderClient

/// Folding for one person: `ReorderClient(folds:)`.
@Suite struct ClientFoldTests {
    private func withFamily(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (ServerUnderTest) async throws -> Void
    ) async throws {
        try await withServer { server in
            let place = Destination(place: .init(.subtasks(of: "a")))
            try await server.write(.create(TaskContent(id: "a1", title: "A1"), at: place))
            try await body(server)
        }
    }

    private func rows(_ list: SyncedList) -> [TaskID] {
        list.snapshot.tasks(fromRow: 0, limit: .max).map(\.id)
    }

    @Test func aTaskIsFoldedForOnePersonOnAllDevices() async throws {
        try await withFamily { server in
            let phone = server.client(folds: "folds-alice")
            let tablet = server.client("tablet", folds: "folds-alice")
            let list = try await phone.list("l")
            let second = try await tablet.list("l")
            let others = try await server.client("bob").list("l")
            var snapshots = second.snapshots.makeAsyncIterator()
            _ = await snapshots.next()

            #expect(try list.collapse("a"))
            #expect(rows(list) == ["a", "b", "c"])
            let snapshot = list.snapshot
            #expect(snapshot.task("a")?.content.collapsed == true && snapshot.contains("a1"))
            #expect(await snapshots.next()?.rowCount == 3)
            #expect(rows(second) == ["a", "b", "c"])
            #expect(rows(others) == ["a", "a1", "b", "c"])
            #expect(try await server.snapshot().version == 2)

            // The stored value is the default only.
            try others.collapse("a")
            await others.settle()
            #expect(try second.collapse("a", false))
            while await snapshots.next()?.rowCount != 4 {}
            for await status in list.statuses where status.version == 3 { break }
            try await phone.list("folds-alice").settle()
            #expect(rows(second) == ["a", "a1", "b", "c"])
            #expect(rows(others) == ["a", "b", "c"])
            let entries = try server.service.versionedList(of: "folds-alice").list.tasks
            #expect(entries.map(\.content.data) == [#"{"task":"a"}"#])
            for list in [list, second, others] { list.close() }
            #expect(throws: ClientError.closed) { try list.collapse("a") }
        }
    }

    /// A list of an app does not wait for the list of folds, which is created later.
    @Test @MainActor func theFirstFoldOfAnAppIsKept() async throws {
        try await withFamily { server in
            let list = ReorderStore(client: server.client(folds: "folds-alice")).list("l")
            try await eventually { list.isLoaded && list.setCollapsed("a", true) }
            #expect(list.rows.map(\.id) == ["a", "b", "c"])
            try await eventually {
                let folds = try? server.service.versionedList(of: "folds-alice").list
                return folds?.count == 1
            }
        }
    }

    @Test func aMoveCountsTheRowsThatThePersonSees() async throws {
        try await withFamily { server in
            let list = try await server.client(folds: "folds-alice").list("l")
            try list.collapse("a")
            let move = { Command.move(MoveRequest(.row($0), to: Destination(row: $1))) }
            _ = try list.perform([move(0, 1)])
            #expect(rows(list) == ["b", "a", "c"])
            await list.settle()
            #expect(try await server.snapshot().list.tasks.map(\.id) == ["b", "a", "a1", "c"])
            #expect(throws: ClientError.refused(.rowNotFound(3, count: 3))) {
                try list.perform([move(3, 0)])
            }
            #expect(throws: ClientError.refused(.taskNotFound("z"))) { try list.collapse("z") }
            list.close()
        }
    }

    @Test func foldsAreKeptAndChangedWithoutANetwork() async throws {
        try await withFamily { server in
            let online = server.client(folds: "folds-alice")
            let list = try await online.list("l")
            try list.collapse("a")
            let stored = try await online.list("folds-alice")
            await stored.settle()
            stored.close()
            list.close()

            let away = server.client(over: NoNetwork(), folds: "folds-alice")
            let offline = try await away.list("l")
            #expect(rows(offline) == ["a", "b", "c"])
            try offline.collapse("a", false)
            #expect(rows(offline) == ["a", "a1", "b", "c"])
            offline.close()

            let again = try await server.client(folds: "folds-alice").list("l")
            #expect(rows(again) == ["a", "a1", "b", "c"])
            let folds = try #require(again.runner.folds?.list)
            await folds.settle()
            let entries = try server.service.versionedList(of: "folds-alice").list.tasks
            #expect(entries.map(\.content.collapsed) == [false])
            again.close()
        }
    }

    @Test func theListOfFoldsIsCreatedOnce() async throws {
        try await withFamily { server in
            let client = server.client(folds: "folds-alice")
            async let one = client.list("l")
            async let two = client.list("l")
            let lists = try await (one, two)
            #expect(lists.0.runner === lists.1.runner)
            #expect(try server.service.versionedList(of: "folds-alice").version == 1)
            // If it is deleted, it is created again when a list is opened.
            let folds = try #require(lists.0.runner.folds?.list)
            try await client.deleteList("folds-alice")
            for await status in folds.statuses where status.connection == .gone { break }
            try await client.list("l").close()
            #expect(folds.status.connection == .online && folds.snapshot.count == 0)
            for list in [lists.0, lists.1] { list.close() }
        }
    }

    @Test func aListNeedsItsFolds() async throws {
        try await withFamily { server in
            let list = try await server.client().list("l")
            list.close()
            let away = server.client(over: NoNetwork(), folds: "f")
            await #expect(throws: ClientError.unreachable) { try await away.list("l") }
            await #expect {
                try await server.client(folds: "no/id").list("l")
            } throws: {
                if case ClientError.invalid = $0 { true } else { false }
            }
        }
    }

    /// Random operations and folds: the shown list is the displayed one with the folds, and only touched rows differ.
    @Test func theShownListIsTheDisplayedOneWithTheFolds() throws {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        var commands = RandomCommands(name: "t")
        var client = try MachineUnderTest(seed: seed)
        client.update { machine, _ in machine.fold([:]) }
        for step in 0..<RandomRun.operations(400) {
            let comment: Comment = "seed \(seed), step \(step)"
            let before = try #require(client.machine.shown)
            let displayed = try #require(client.machine.local?.displayed)
            let folds = client.machine.folds
            var touched = TouchedRows.operations([])
            if random.chance(25) {
                let tasks = displayed.tasks.map(\.id).filter { _ in random.chance(15) } + ["none"]
                let states = tasks.map { ($0, random.chance(50)) }
                client.update { machine, _ in
                    machine.fold(Dictionary(uniqueKeysWithValues: states))
                    touched = machine.takeTouched()
                }
            } else {
                let command = commands.next(on: before, &random)
                var isApplied = false
                client.update { machine, now in
                    isApplied = (try? machine.perform([command], id: "\(step)", at: now)) != nil
                    touched = machine.takeTouched()
                }
                if case .move(var request) = command, isApplied {
                    request.folds = folds
                    var expected = displayed
                    _ = try expected.move(request)
                    let local = client.machine.local
                    #expect(
                        local?.displayed.tasks.map(\.placement.parent)
                            == expected.tasks.map(\.placement.parent), comment)
                    #expect(
                        local?.displayed.tasks.map(\.id) == expected.tasks.map(\.id), comment)
                }
            }
            let after = try #require(client.machine.shown)
            let stored = try #require(client.machine.local?.displayed)
            let current = try #require(client.machine.folds)
            #expect(after.tasks.map(\.id) == stored.tasks.map(\.id), comment)
            for task in stored.tasks {
                #expect(
                    after.task(task.id)?.content.collapsed
                        == (current[task.id] ?? task.content.collapsed), comment)
            }
            var table = TableView(before)
            #expect(table.show(after, touched: touched) == nil, comment)
        }
    }
}
