import Dispatch
import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// Two services that share a store see each other's changes.
@Suite struct SharedStoreTests {
    let hub = SharedMemory()
    let (here, there): (SharedFront, SharedFront)
    let (service, other): (ListService, ListService)

    init() {
        (here, there) = (SharedFront(hub), SharedFront(hub))
        (service, other) = (.quiet(here), .quiet(there))
    }

    private func stop() throws {
        here.appends.open()
        here.looks.open()
        here.ends.open()
        try service.stopIdle()
        try other.stopIdle()
    }

    // MARK: Reads

    @Test func aReadSeesAcknowledgedChangesOfAnotherServer() throws {
        try service.make("l", ["a", "b", "c"])
        for (asked, reader) in [(other, service), (service, other), (other, service)] {
            let version = try asked.ask(.move("a", to: 2, in: "l")).value().version
            #expect(try reader.read("l").value().version >= version)
            _ = try reader.ask(.move("a", to: 0, in: "l")).value()
            #expect(try asked.order("l") == ["a", "b", "c"])
        }
        _ = try other.ask(WriteRequest(list: "l", action: .deleteList())).value()
        #expect(try service.read("l").failure() == "listNotFound")
        try other.make("l", ["d"])
        #expect(try service.order("l") == ["d"])
        try stop()
    }

    @Test func aListIsLoadedAgainAfterAReplacementOrManyChanges() throws {
        try service.make("l", ["a", "b"])
        let replacement = WriteRequest(
            list: "l", action: .put(try .flat(["x", "y"])), precondition: .exists)
        _ = try other.ask(replacement).value()
        #expect(try service.order("l") == ["x", "y"])
        for round in 0..<100 { _ = try other.ask(.move("x", to: 1 - round % 2, in: "l")).value() }
        let snapshot = try service.read("l").value()
        #expect(snapshot.version == 102)
        #expect(snapshot.list.tasks.map(\.id) == ["x", "y"])
        try stop()
    }

    @Test func waitingReadsShareOneQuery() throws {
        try service.make("l", ["a"])
        here.looks.close()
        let first = service.read("l")
        try here.looks.wait()
        let before = here.lookCount.load(ordering: .relaxed)
        let rest = (0..<100).map { _ in service.read("l") }
        let write = service.ask(.create("b", in: "l"))
        try here.looks.wait()
        here.looks.open()
        here.looks.pass()
        here.looks.pass()
        _ = try first.value()
        for read in rest { #expect(try read.value().version >= 1) }
        #expect(try write.value().version == 2)
        #expect(
            here.lookCount.load(ordering: .relaxed) <= before + 2, "one for reads, one for writes")
        try stop()
    }

    @Test func aTaskIsFoundAfterAMoveByAnotherServer() throws {
        try service.make("l", ["a", "b"])
        try service.make("m")
        _ = try other.ask(.transfer("a", from: "l", to: "m")).value()
        let found = service.versionedList(ofListContaining: "a")
        #expect(try found.value().id == "m")
        try stop()
    }

    // MARK: Overtaken writes

    @Test func anOvertakenRequestIsDecidedOnTheCurrentList() throws {
        try service.make("l", ["a", "b", "c"])
        here.appends.close()
        let move = service.ask(.move("a", to: 2, in: "l"))
        try here.appends.wait()
        let read = service.read("l")
        let create = service.ask(.create("d", in: "l"))
        _ = try other.ask(.move("b", to: 0, in: "l")).value()
        #expect(!move.isAnswered)
        here.appends.open()
        here.appends.pass()
        #expect(try move.value().version >= 3)
        #expect(try create.value().changed)
        #expect(try read.value().version >= 1)
        #expect(try service.order("l") == ["b", "c", "a", "d"])
        #expect(try other.order("l") == ["b", "c", "a", "d"])
        try stop()
    }

    @Test func anOvertakenRequestCanBeRefused() throws {
        try service.make("l", ["a", "b"])
        here.appends.close()
        let move = service.ask(.move("a", to: 1, in: "l"))
        try here.appends.wait()
        var conditional = WriteRequest.create("x", in: "l")
        conditional.precondition = .versions([2])
        let late = service.ask(conditional)
        let delete = WriteRequest(list: "l", action: .command(.delete("a")))
        _ = try other.ask(delete).value()
        here.appends.open()
        here.appends.pass()
        #expect(try move.failure() == "refused taskNotFound(\"a\")")
        // Version 2 is now the other server's, with other content. The condition holds.
        #expect(try late.wait().map(\.version).get() == 3)
        try stop()
    }

    @Test func aTransferOvertakenOnOneSideIsAppliedOnce() throws {
        try service.make("l", ["a", "b"])
        try service.make("m", ["c"])
        here.appends.close()
        let transfer = service.ask(.transfer("a", from: "l", to: "m"))
        try here.appends.wait()
        let after = service.ask(.create("d", in: "m"))
        _ = try other.ask(.create("e", in: "m")).value()
        here.appends.open()
        here.appends.pass()
        _ = try transfer.value()
        _ = try after.value()
        for asked in [service, other] {
            #expect(try asked.order("l") == ["b"])
            #expect(Set(try asked.order("m")) == ["c", "e", "a", "d"])
        }
        try stop()
    }

    @Test func anIdThatAnotherServerHasTakenIsRefused() throws {
        try service.make("l")
        try service.make("m")
        #expect(try other.ask(.create("a", in: "m")).value().changed)
        #expect(try service.ask(.create("a", in: "l")).failure() == "taskTaken")
        let commands = (0..<50).map { number in
            Command.create(
                TaskContent(id: number % 2 == 0 ? "a" : "n\(number)", title: ""),
                at: Destination())
        }
        let batch = service.ask(
            WriteRequest(list: "l", action: .batch(Batch(commands, .separate))))
        guard case .batch(let results) = try batch.value().result else {
            Issue.record("no batch")
            return
        }
        #expect(
            results.map(\.word) == (0..<50).map { $0 % 2 == 0 ? "command \($0) taskTaken" : "done" }
        )
        _ = try other.ask(WriteRequest(list: "m", action: .command(.delete("a")))).value()
        #expect(try service.ask(.create("a", in: "l")).value().changed)
        try stop()
    }

    // MARK: Retries

    @Test func aRequestWithAKeyIsAppliedOnceAcrossServers() throws {
        try service.make("l", ["a", "b", "c"])
        #expect(try service.ask(once: "k", .move("a", to: 2, in: "l")).value() == "2 true")
        #expect(try other.ask(once: "k", .move("a", to: 2, in: "l")).value() == "2 true again")
        #expect(
            try other.ask(once: "k", .move("a", to: 1, in: "l"), digest: [9]).failure()
                == "keyReused")
        // Both at once: one is being committed when the other arrives.
        here.appends.close()
        let first = service.ask(once: "m", .create("d", in: "l"))
        try here.appends.wait()
        let second = try other.ask(once: "m", .create("d", in: "l")).value()
        here.appends.open()
        here.appends.pass()
        #expect(second == "3 true")
        #expect(try first.value() == "3 true again")
        #expect(try service.order("l") == ["b", "c", "a", "d"])
        try stop()
    }

    @Test func aRefusalWithAKeyIsStoredOnceAcrossServers() throws {
        try service.make("l", ["a"])
        here.appends.close()
        let request = WriteRequest.move("x", to: 0, in: "l")
        let first = service.ask(once: "k", request)
        try here.appends.wait()
        let second = try other.ask(once: "k", request).value()
        here.appends.open()
        here.appends.pass()
        #expect(try first.value() == second + " again")
        try stop()
    }

    /// Stored responses are read after the states of the lists.
    @Test func aRepeatedDeletionDoesNotSeeThatTheListIsGone() throws {
        try service.make("l", ["a"])
        let request = WriteRequest(list: "l", action: .deleteList())
        here.looks.close()
        let second = service.ask(once: "k", request)
        try here.looks.wait()
        #expect(try other.ask(once: "k", request).value() == "2 true")
        here.looks.open()
        here.looks.pass()
        #expect(try second.value() == "2 true again")
        try stop()
    }

    @Test(arguments: [true, false])
    func anOpIsAppliedOnceAcrossServers(isAtomic: Bool) throws {
        try service.make("l", ["a", "b"])
        let create = Command.create(TaskContent(id: "c", title: "c"), at: Destination())
        let move = Command.move(
            MoveRequest(.task("a"), to: Destination(place: .init(.own, position: 1))))
        here.appends.close()
        let first = service.ask(ops: [("1", create), ("2", move)], in: "l", isAtomic: isAtomic)
        try here.appends.wait()
        let second = try other.ask(ops: [("1", create)], in: "l", isAtomic: isAtomic).value()
        here.appends.open()
        here.appends.pass()
        #expect(second.words == ["done"])
        #expect(try first.value().words == ["done again", "done"])
        #expect(try service.order("l") == ["b", "a", "c"])
        try stop()
    }

    // MARK: Watching

    /// With a notification, and without.
    @Test(arguments: [true, false])
    func watchersAreNotifiedOfAnotherServersChanges(isTold: Bool) throws {
        let hub = SharedMemory()
        let service = ListService.quiet(SharedFront(hub, tells: isTold))
        let other = ListService.quiet(SharedFront(hub, tells: isTold))
        try other.make("l", ["a"])
        let news = DispatchSemaphore(value: 0)
        let channel = service.channel(of: "l")
        let watch = channel.watch { news.signal() }
        defer { withExtendedLifetime(watch) {} }
        let position = service.position(of: "l")
        #expect(try position.value() == ListPosition(version: 1, exists: true))
        _ = try other.ask(.create("b", in: "l")).value()
        while channel.position.version < 2 { try news.waitForSignal() }
        let changes = service.changes(of: "l", after: 1, limit: 10, bytes: 1_000)
        #expect(try changes.value()?.map(\.version) == [2])
        _ = try other.ask(WriteRequest(list: "l", action: .deleteList())).value()
        while channel.position.exists { try news.waitForSignal() }
        try service.stopIdle()
        try other.stopIdle()
        try stop()
    }

    @Test func aDragEndsWhenAnotherServerDeletesItsTask() throws {
        try service.make("l", ["a", "b"])
        let lifted = service.pending {
            $0.lift(["a"], isBlock: false, of: "l", as: "drag", by: DragClient(), $1)
        }
        _ = try lifted.value()
        _ = try other.ask(WriteRequest(list: "l", action: .command(.delete("a")))).value()
        _ = try service.read("l").value()
        #expect(throws: ServiceError.self) { try service.cancelDrag("drag", by: DragClient()) }
        try stop()
    }

    // MARK: Away

    @Test func requestsAreRefusedWhileTheStoreIsUnreachable() throws {
        try service.make("l", ["a", "b"])
        #expect(service.isReady)
        here.setAway(true)
        #expect(!service.isReady)
        #expect(try service.read("l").failure() == "unavailable")
        #expect(try service.ask(.move("a", to: 1, in: "l")).failure() == "unavailable")
        #expect(try service.ask(once: "k", .move("a", to: 1, in: "l")).failure() == "unavailable")
        here.setAway(false)
        #expect(try service.ask(once: "k", .move("a", to: 1, in: "l")).value() == "2 true")
        here.appends.close()
        let write = service.ask(.move("a", to: 0, in: "l"))
        try here.appends.wait()
        here.setAway(true)
        here.appends.open()
        here.appends.pass()
        #expect(try write.failure() == "unavailable")
        here.setAway(false)
        #expect(try service.order("l") == ["b", "a"])
        try stop()
    }

    /// While the outcome of an append is unknown, its changes wait. Nothing is based on them, so all
    /// other requests fail at once.
    @Test(arguments: [true, false])
    func unsentChangesAreRefusedWhileACommitIsUnknown(isFoundOut: Bool) throws {
        for list in ["l", "m", "n", "o"] { try service.make(list, ["\(list)1", "\(list)2"]) }
        here.appends.close()
        let sent = service.ask(.move("l1", to: 1, in: "l"))
        try here.appends.wait()
        var dryRun = WriteRequest.move("l1", to: 0, in: "l")
        dryRun.isDryRun = true
        let waiting = [
            service.ask(dryRun), service.ask(.move("m1", to: 1, in: "m")),
            service.ask(.create("l3", in: "l")), service.ask(.transfer("n1", from: "n", to: "l")),
        ]
        let refusal = service.ask(once: "k", .move("x", to: 0, in: "o"))
        here.ends.close()
        here.setAway(true)
        here.appends.open()
        here.appends.pass()
        for write in waiting { #expect(try write.failure() == "unavailable") }
        #expect(try refusal.failure() == "unavailable")
        #expect(!sent.isAnswered)
        if isFoundOut { here.setAway(false) }
        here.ends.open()
        here.ends.pass()
        #expect(try sent.failure() == (isFoundOut ? "none" : "outcomeUnknown"))
        here.setAway(false)
        #expect(try service.order("l") == (isFoundOut ? ["l2", "l1"] : ["l1", "l2"]))
        try stop()
    }
}
