import ReorderEngine
import ReorderStore
import StoreTesting
import Testing
import Waiting

@testable import ReorderService

/// Slow work on one list does not delay an event loop's other requests.
@Suite struct StallTests {
    private let store = GatedStore()
    /// More tasks than an event loop handles by itself.
    private let many = (0...ServiceLimits().tasksOnLoop).map { "t\($0)" }

    /// A service whose lists are not in memory.
    private func makeCold(_ lists: [String: [String]]) throws -> ListService {
        let first = ListService.quiet(store)
        for (list, tasks) in lists { try first.make(list, tasks) }
        try first.stopIdle()
        return .quiet(store)
    }

    // MARK: Loading

    @Test func otherListsAreServedWhileAListIsLoaded() throws {
        let service = try makeCold(["l": ["a", "b"], "m": ["c", "d"]])
        let loop = EventLoopThread(service: service)
        store.holdReads(of: "l")
        defer { store.passRead() }
        let read = loop.read("l")
        try store.nextRead()
        let write = loop.ask(.move("a", to: 1, in: "l"))
        #expect(try loop.read("m").value().version == 1)
        #expect(try loop.ask(.move("c", to: 1, in: "m")).value().version == 2)
        #expect(try loop.read("none").failure() == "listNotFound")
        #expect(!read.isAnswered && !write.isAnswered)
        store.passRead()
        #expect(try read.value().version >= 1)
        #expect(try write.value().version == 2)
    }

    @Test func requestsThatWaitForAListShareOneLoad() throws {
        let service = try makeCold(["l": ["a", "b"]])
        let before = store.loadCount.load(ordering: .relaxed)
        store.holdReads(of: "l")
        let reads = (0..<100).map { _ in service.read("l") }
        try store.nextRead()
        let moves = (0..<10).map { service.ask(.move("a", to: 1 - $0 % 2, in: "l")) }
        store.passRead()
        for read in reads { #expect(try read.value().version >= 1) }
        for (index, move) in moves.enumerated() { #expect(try move.value().version == index + 2) }
        #expect(store.loadCount.load(ordering: .relaxed) == before + 1)
        try service.stopIdle()
    }

    @Test func requestsThatWaitForAMissingListShareOneLoad() throws {
        let service = ListService.quiet(store)
        store.holdReads(of: "l")
        let reads = (0..<100).map { _ in service.read("l") }
        try store.nextRead()
        store.passRead()
        for read in reads { #expect(try read.failure() == "listNotFound") }
        #expect(store.loadCount.load(ordering: .relaxed) == 1)
        try service.stopIdle()
        #expect(service.loadedListCount == 0)
    }

    @Test func aFailedLoadFailsItsRequestsAndIsRetried() throws {
        let service = try makeCold(["l": ["a"]])
        store.holdReads(of: "l")
        let reads = (0..<3).map { _ in service.read("l") }
        try store.nextRead()
        store.passRead(failing: .unavailable(reason: "no disk"))
        for read in reads { #expect(try read.failure() == "unavailable") }
        #expect(try service.read("l").value().version == 1)
        try service.stopIdle()
    }

    @Test func aMoveBetweenListsThatDoNotExistIsRefused() throws {
        let service = ListService.quiet(store)
        #expect(try service.ask(.transfer("a", from: "l", to: "m")).failure() == "listNotFound")
        #expect(try service.ask(.transfer("a", from: "m", to: "l")).failure() == "listNotFound")
        try service.make("l", ["a"])
        #expect(
            try service.ask(.transfer("a", from: "l", to: "m")).failure() == "targetListNotFound")
        try service.stopIdle()
        #expect(service.loadedListCount == 1)
    }

    @Test func aLargeListIsReplayedByAWorkerOnly() throws {
        let service = try makeCold(["l": (0..<2_000).map { "t\($0)" }, "m": ["a"]])
        let workers = BusyWorkers(service.workers, .medium)
        let loop = EventLoopThread(service: service)
        let read = loop.read("l")
        #expect(try loop.read("m").value().version == 1)
        #expect(!read.isAnswered)
        workers.release()
        #expect(try read.value().list.count == 2_000)
        try service.stopIdle()
    }

    @Test func aListThatIsEvictedAtOnceIsServed() throws {
        let service = ListService.quiet(store, limits: .init(cacheBytes: 0))
        for list in ["l", "m", "n"] { try service.make(list, ["\(list)1", "\(list)2"]) }
        let pending = (0..<100).flatMap { index in
            ["l", "m", "n"].map { service.ask(.create("\($0)\(index + 3)", in: $0)) }
        }
        let versions = try pending.map { try $0.value().version }
        #expect(versions.sorted() == (0..<300).map { $0 / 3 + 2 })
        try service.stopIdle()
    }

    // MARK: Large writes

    @Test func aLargeWriteDelaysOnlyWritesOfItsList() throws {
        let service = ListService.quiet(store)
        try service.make("l", ["a", "b"])
        try service.make("m", ["c", "d"])
        let loop = EventLoopThread(service: service)
        store.holdReads(of: many[1])
        defer { store.passRead() }
        let replacement = WriteRequest(
            list: "l", action: .put(try .flat(many)), precondition: .versions([1]))
        let put = loop.ask(replacement)
        // A worker queries the lists of the tasks.
        try store.nextRead()
        let late = loop.ask(.move(many[1], to: 0, in: "l"))
        #expect(try loop.read("l").value().list.count == 2, "reads show the list before the write")
        #expect(try loop.ask(.move("c", to: 1, in: "m")).value().version == 2)
        #expect(try loop.ask(.create("e", in: "m")).value().version == 3)
        #expect(!put.isAnswered && !late.isAnswered)
        store.passRead()
        #expect(try put.value().version == 2)
        #expect(try late.value().version == 3)
        #expect(try service.ask(.create(many[0], in: "m")).failure() == "taskTaken")
        #expect(try service.read("l").value().list.count == many.count)
        try service.stopIdle()
    }

    /// Undecided writes have no order. So another list can get an id before a large write.
    @Test func aLargeWriteReservesNoIds() throws {
        let service = ListService.quiet(store)
        try service.make("l", ["a", "b"])
        try service.make("m")
        store.holdReads(of: many[1])
        defer { store.passRead() }
        let put = service.ask(
            WriteRequest(list: "l", action: .put(try .flat(many)), precondition: .exists))
        try store.nextRead()
        #expect(try service.ask(.create(many[0], in: "m")).value().version == 2)
        #expect(!put.isAnswered)
        store.passRead()
        #expect(try put.failure() == "taskTaken")
        #expect(try service.order("l") == ["a", "b"])
        try service.stopIdle()
    }

    @Test func aRefusedLargeWriteChangesNothing() throws {
        let service = ListService.quiet(store)
        try service.make("l", ["a"])
        try service.make("m", [many[500]])
        let replacement = WriteRequest(
            list: "l", action: .put(try .flat(many)), precondition: .exists)
        #expect(try service.ask(replacement).failure() == "taskTaken")
        #expect(try service.order("l") == ["a"])
        // The ids of the refused request are free.
        #expect(try service.ask(.create(many[0], in: "m")).value().version == 2)
        let free = many.filter { ![many[0], many[500]].contains($0) } + ["u1", "u2", "u3"]
        let dryRun = WriteRequest(
            list: "l", action: .put(try .flat(free)), precondition: .exists, isDryRun: true)
        #expect(try service.ask(dryRun).value().version == 1)
        #expect(try service.ask(.create(many[1], in: "m")).value().version == 3)
        #expect(try service.read("l").value().version == 1)
        try service.stopIdle()
    }

    @Test func aLargeWriteAfterAFailedAppendIsDecidedOnTheDurableState() throws {
        let service = ListService.quiet(store)
        try service.make("l", ["a", "b"])
        store.hold()
        let move = service.ask(.move("a", to: 1, in: "l"))
        _ = try store.nextBatch()
        let put = service.ask(
            WriteRequest(list: "l", action: .put(try .flat(many)), precondition: .versions([1])))
        let late = service.ask(.move(many[1], to: 0, in: "l"))
        // Opened first: the next append may begin as soon as the first one has failed.
        store.open()
        store.fail()
        #expect(try move.failure() == "unavailable")
        #expect(try put.value().version == 2)
        #expect(try late.value().version == 3)
        #expect(try service.order("l").prefix(2) == [many[1], many[0]])
        try service.stopIdle()
    }

    @Test func aLargeMoveIntoAnotherListIsDecidedByAWorker() throws {
        let service = ListService.quiet(store)
        var entries = [ReorderableList.Entry(content: TaskContent(id: "top", title: ""))]
        entries += many.map { .init(content: TaskContent(id: $0, title: ""), parent: "top") }
        let list = try ReorderableList(
            settings: ListSettings(title: "List"), sections: [], tasks: entries)
        _ = try service.ask(WriteRequest(list: "l", action: .create(list))).value()
        try service.make("m", ["x"])
        try service.make("n", ["y", "z"])
        let workers = BusyWorkers(service.workers, .medium)
        let loop = EventLoopThread(service: service)
        let move = loop.ask(.transfer("top", from: "l", to: "m"))
        #expect(try loop.ask(.move("y", to: 1, in: "n")).value().version == 2)
        let late = [loop.ask(.move("x", to: 0, in: "m")), loop.ask(.create("new", in: "l"))]
        #expect(try loop.read("l").value().list.count == many.count + 1)
        #expect(!move.isAnswered && late.allSatisfy { !$0.isAnswered })
        store.hold()
        workers.release()
        #expect(try store.nextBatch().prefix(2).map(\.list) == ["l", "m"])
        store.open()
        store.pass()
        #expect(try move.value().changed)
        for pending in late { _ = try pending.value() }
        #expect(try service.read("m").value().list.count == many.count + 2)
        #expect(try service.order("l") == ["new"])
        try service.stopIdle()
    }

    @Test(arguments: [
        WriteRequest.Action.transferSection("s", to: "m", position: nil),
        .command(.deleteSection("s", tasks: .delete)),
    ])
    func aLargeSectionIsHandledByAWorker(action: WriteRequest.Action) throws {
        let service = ListService.quiet(store)
        let list = try ReorderableList(
            settings: ListSettings(title: "List"), sections: [("s", "Section")],
            tasks: many.map { .init(content: TaskContent(id: $0, title: ""), section: "s") })
        _ = try service.ask(WriteRequest(list: "l", action: .create(list))).value()
        try service.make("m", ["x"])
        try service.make("n", ["y", "z"])
        let workers = BusyWorkers(service.workers, .medium)
        let loop = EventLoopThread(service: service)
        let write = loop.ask(WriteRequest(list: "l", action: action))
        #expect(try loop.ask(.move("y", to: 1, in: "n")).value().version == 2)
        #expect(!write.isAnswered)
        workers.release()
        #expect(try write.value().changed)
        #expect(try service.order("l").isEmpty)
        try service.stopIdle()
    }

    @Test func aLargeUndoIsAppliedByAWorker() throws {
        let service = ListService.quiet(store)
        try service.make("l", many)
        try service.make("m", ["a", "b"])
        let empty = WriteRequest(
            list: "l", action: .batch(Batch(many.map { .delete($0) }, .atomic)))
        _ = try service.ask(empty).value()
        let workers = BusyWorkers(service.workers, .medium)
        let loop = EventLoopThread(service: service)
        let undo = loop.ask(WriteRequest(list: "l", action: .undo(version: RequestedVersion(2))))
        try waitUntil { service.isBusy || undo.isAnswered }
        #expect(!undo.isAnswered)
        #expect(try loop.ask(.move("a", to: 1, in: "m")).value().version == 2)
        workers.release()
        #expect(try undo.value().version == 3)
        #expect(try service.order("l") == many)
        try service.stopIdle()
    }

    @Test func theSnapshotOfALargeListIsRenderedByAWorker() throws {
        let service = ListService.quiet(store)
        try service.make("l", many)
        try service.make("m", ["a", "b"])
        let workers = BusyWorkers(service.workers, .medium)
        let loop = EventLoopThread(service: service)
        // Moves need no worker until the changes are as large as the list. Then a snapshot is due.
        var moves: [Pending<WriteResult>] = []
        repeat {
            moves.append(loop.ask(.move(many[0], to: 1 - moves.count % 2, in: "l")))
            _ = try loop.read("m").value()
        } while moves.count < 10_000
            && (try? isAnsweredWithoutAWorker(moves[moves.count - 1], loop)) == true
        #expect(moves.count < 10_000)
        #expect(try store.snapshots(of: "l").map(\.version) == [1])
        #expect(try loop.ask(.move("a", to: 1, in: "m")).value().version == 2)
        workers.release()
        for (index, move) in moves.enumerated() { #expect(try move.value().version == index + 2) }
        #expect(try store.snapshots(of: "l").map(\.version) == [1, moves.count + 1])
        try service.stopIdle()
    }

    /// Whether a request completes without a worker. If it does not, it is waiting for the list.
    private func isAnsweredWithoutAWorker(
        _ pending: Pending<WriteResult>, _ loop: EventLoopThread
    ) throws -> Bool {
        try waitUntil { loop.service.isBusy || pending.isAnswered }
        return pending.isAnswered
    }
}

extension ListService {
    /// Whether writes of a list wait for a large write.
    fileprivate var isBusy: Bool {
        writer.load["held lists"] == 1
    }
}
