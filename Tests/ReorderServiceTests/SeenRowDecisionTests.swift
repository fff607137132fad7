import ReorderEngine
import ReorderStore
import StoreTesting
import Synchronization
import Testing

@testable import ReorderService

/// Moves by rows of earlier versions, as the service decides them.
@Suite struct SeenRowDecisionTests {
    private static func list(tasks: Int) throws -> WriteRequest {
        let list = try ReorderableList(
            settings: ListSettings(title: "List"), sections: [],
            tasks: (0..<tasks).map { .init(content: TaskContent(id: "t\($0)", title: "T")) })
        return WriteRequest(list: "l", action: .put(list))
    }

    private static func move(
        _ row: Int, to target: Int, of version: Int? = nil
    ) -> WriteRequest {
        WriteRequest(
            list: "l",
            action: .command(.move(MoveRequest(.row(row), to: Destination(row: target)))),
            rowVersions: version.map { [RowVersions(list: RequestedVersion($0))] } ?? [])
    }

    private func moved(_ answer: WriteResult) -> TaskID? {
        guard case .moved(let outcome, _) = answer.result else { return nil }
        return outcome.tasks.first?.task.id
    }

    /// The first request for an earlier version reads the store; the next ones step back in memory.
    @Test(arguments: [10, 5_000])
    func theStoreIsReadOnlyForVersionsBeforeTheLastChanges(tasks: Int) throws {
        let store = CountingStore()
        let service = ListService.quiet(store)
        defer { try? service.stopIdle() }
        _ = try service.ask(Self.list(tasks: tasks)).value()
        for row in 1..<5 { _ = try service.ask(Self.move(row, to: 0)).value() }
        // Version 5: t4 t3 t2 t1 t0 t5; version 3: t2 t1 t0 t3 t4 t5.
        #expect(moved(try service.ask(Self.move(0, to: 5, of: 3)).value()) == "t2")
        #expect(store.snapshotReads == 1)
        // Version 6 is the first of which changes are kept in memory.
        _ = try service.ask(Self.move(0, to: 1)).value()
        #expect(moved(try service.ask(Self.move(1, to: 5, of: 6)).value()) == "t3")
        #expect(moved(try service.ask(Self.move(1, to: 5, of: 5)).value()) == "t3")
        #expect(store.snapshotReads == 1)
        #expect(moved(try service.ask(Self.move(5, to: 0, of: 4)).value()) == "t5")
        #expect(store.snapshotReads == 2)
    }

    @Test func manyStepsBackAreMadeByAWorker() throws {
        let service = ListService.quiet(MemoryListStore())
        defer { try? service.stopIdle() }
        _ = try service.ask(Self.list(tasks: 500)).value()
        #expect(moved(try service.ask(Self.move(7, to: 7, of: 1)).value()) == "t7")
        for _ in 0..<400 { _ = try service.ask(Self.move(499, to: 0)).value() }
        #expect(moved(try service.ask(Self.move(7, to: 0, of: 1)).value()) == "t7")
    }

    /// Also if the list is small now: its earlier versions can be large.
    @Test(arguments: [10, 1_500])
    func aVersionFromTheStoreNeedsAPlaceAmongTheUndos(tasks: Int) throws {
        var limits = ServiceLimits()
        limits.undos.ofList = 0
        let service = ListService.quiet(MemoryListStore(), limits: limits)
        defer { try? service.stopIdle() }
        _ = try service.ask(Self.list(tasks: tasks)).value()
        _ = try service.ask(Self.move(3, to: 0)).value()
        #expect(try service.ask(Self.move(0, to: 2, of: 1)).failure().hasPrefix("tooManyUndos"))
        // The current version needs no place.
        #expect(moved(try service.ask(Self.move(0, to: 2, of: 2)).value()) == "t3")
    }

    /// Rows of an earlier version must never become current rows, if the list is created meanwhile.
    @Test func aMissingListRefusesTheMove() throws {
        let service = ListService.quiet(MemoryListStore())
        defer { try? service.stopIdle() }
        let request = Self.move(0, to: 1, of: 1)
        let named = service.pending {
            $0.name(request.seenMoves(in: service.epoch), in: request, $1)
        }
        #expect(try named.value().refusals[0]?.word == "listNotFound")
    }

    @Test func theStepsBackHaveNoTitlesAndNoData() throws {
        let data = String(repeating: "x", count: 8_000)
        var list = try ReorderableList(
            settings: ListSettings(title: ""), sections: [("s", data)],
            tasks: [.init(content: TaskContent(id: "a", title: data, data: data))])
        var steps = RecentSteps(from: 1)
        let empty = steps.byteCount
        for (version, operation) in [
            (2, ListOperation.sectionDelete(section: "s")), (3, .delete(task: "a")),
        ] {
            steps.append([operation], to: version, from: list)
            try list.apply(operation)
        }
        #expect(steps.byteCount > empty)
        var before = steps.cursor(from: list)
        let first = try before.list(at: 1)
        #expect(first.sections.map(\.id) == ["s"] && first.sections.map(\.title) == [""])
        #expect(first.task("a")?.content.title == "" && first.task("a")?.content.data == nil)
    }
}

/// Counts the reads of snapshots.
private final class CountingStore: ForwardingStore {
    private let store = MemoryListStore()
    private let reads = Mutex(0)
    var snapshotReads: Int { reads.withLock(\.self) }

    func destination() throws(StoreError) -> any ListStore { store }

    func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        reads.withLock { $0 += 1 }
        return try store.snapshots(of: list)
    }
}
