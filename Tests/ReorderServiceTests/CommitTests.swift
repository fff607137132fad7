import ReorderEngine
import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// When responses are sent, and which changes one `append` contains.
@Suite struct CommitTests {
    private let gated = GatedService()
    private var store: GatedStore { gated.store }
    private var service: ListService { gated.service }

    @Test func noResponseIsSentBeforeItsAppend() throws {
        try service.make("l", ["a", "b"])
        store.hold()
        let write = service.ask(.create("c", in: "l"))
        #expect(try store.nextBatch().map(\.version) == [2])

        #expect(try service.read("l").value().version == 1, "reads see what is durable")
        let refusal = service.ask(.create("c", in: "l"))
        let unchanged = service.ask(.move("a", to: 0, in: "l"))
        var dry = WriteRequest.move("a", to: 1, in: "l")
        dry.isDryRun = true
        let dryRun = service.ask(dry)
        var old = WriteRequest.move("a", to: 1, in: "l")
        old.precondition = .versions([1])
        let mismatch = service.ask(old)
        let replacing = service.ask(try .make("l"))
        let taken = service.ask(WriteRequest(list: "l", action: .create(try .flat([]))))

        // Responses that need no waiting are complete before the call returns.
        for pending in [write, refusal, unchanged, dryRun, mismatch, replacing, taken] {
            #expect(!pending.isAnswered)
        }
        #expect(try service.order("l") == ["a", "b"])
        store.pass()

        #expect(try write.value().version == 2)
        #expect(try service.read("l").value().version == 2)
        #expect(try refusal.failure() == "refused idTaken(\"c\")")
        #expect(try unchanged.value().changed == false)
        #expect(try dryRun.value().version == 2)
        #expect(try mismatch.failure() == "versionMismatch")
        #expect(try replacing.failure() == "preconditionRequired")
        #expect(try taken.failure() == "listTaken")
        #expect(try service.order("l") == ["a", "b", "c"])
    }

    @Test func otherListsAreReadableDuringAnAppend() throws {
        try service.make("l", ["a"])
        try service.make("m", ["b"])
        store.hold()
        let write = service.ask(.create("c", in: "l"))
        _ = try store.nextBatch()
        #expect(service.read("m").isAnswered)
        #expect(try service.read("none").failure() == "listNotFound")
        #expect(!write.isAnswered)
        store.pass()
        _ = try write.value()
    }

    @Test func changesDuringAnAppendShareTheNextAppend() throws {
        for list in ["first"] + (0..<40).map({ "l\($0)" }) { try service.make(list) }
        store.hold()
        let first = service.ask(.create("t", in: "first"))
        #expect(try store.nextBatch().count == 1)
        let others = (0..<80).map { service.ask(.create("t\($0)", in: "l\($0 / 2)")) }
        store.pass()
        let batch = try store.nextBatch()
        #expect(batch.count == 80)
        // While the second append runs.
        _ = try first.value()
        #expect(others.allSatisfy { !$0.isAnswered })
        store.pass()
        for (index, pending) in others.enumerated() {
            #expect(try pending.value().version == index % 2 + 2)
        }
    }

    /// The writes that were queued meanwhile are decided as if the failed ones had never arrived.
    @Test func aFailedAppendFailsItsRequestsAndChangesNothing() throws {
        try service.make("l", ["a", "b"])
        try service.make("m", ["x", "y"])
        store.hold()
        let failed = service.ask(.move("a", to: 1, in: "l"))
        #expect(try store.nextBatch().map(\.list) == ["l"])
        let next = service.ask(.create("c", in: "l"))
        let read = service.read("l")
        let other = service.ask(.move("x", to: 1, in: "m"))
        store.fail()

        let batch = try store.nextBatch()
        #expect(batch.map(\.list) == ["l", "m"])
        #expect(batch.map(\.version) == [2, 2])
        #expect(try failed.failure() == "unavailable")
        #expect(try read.value().version == 1)
        #expect(try service.order("l") == ["a", "b"])
        store.pass()
        #expect(try next.value().version == 2)
        #expect(try other.value().version == 2)
        #expect(try service.order("l") == ["a", "b", "c"])
        let changes = try store.changes(of: "l", after: 0, limit: 10)
        #expect(changes?.map(\.version) == [1, 2])
    }

    /// Each of these writes was decided on changes of the same append.
    @Test func whatWasDecidedOnAFailedChangeFailsWithIt() throws {
        try service.make("l", ["a", "b"])
        try service.make("m")
        try service.make("other")
        var asked: [Pending<WriteResult>] = []
        let append = try store.oneAppend(during: "other", service) {
            asked.append(service.ask(.create("c", in: "l")))
            asked.append(service.ask(WriteRequest(list: "l", action: .command(.delete("a")))))
            // A refusal, a request without an effect and a dry run.
            asked.append(service.ask(.create("c", in: "l")))
            asked.append(service.ask(.move("c", to: 1, in: "l")))
            var dry = WriteRequest.move("c", to: 0, in: "l")
            dry.isDryRun = true
            asked.append(service.ask(dry))
            // Another list has the task, or none has it.
            asked.append(service.ask(.create("c", in: "m")))
            asked.append(
                service.ask(
                    WriteRequest(list: "", containedTask: "a", action: .command(.delete("a")))))
        }
        #expect(append.commits.map(\.version) == [2, 3])
        #expect(asked.allSatisfy { !$0.isAnswered })
        store.fail()
        for pending in asked { #expect(try pending.failure() == "unavailable") }
        #expect(try service.order("l") == ["a", "b"])
        store.open()
        #expect(try service.ask(.create("c", in: "m")).value().version == 2)
    }

    /// Only the first write of an append copies the list, which the published one refers to.
    @Test func aListIsChangedInPlaceWithinAnAppend() throws {
        try service.make("l", ["a", "b", "c"])
        try service.make("other")
        let copyCount = { [service] in service.durable.published.find("l")?.list.copyCount }
        let before = try #require(copyCount())
        var asked: [Pending<WriteResult>] = []
        let append = try store.oneAppend(during: "other", service) {
            for task in ["a", "b", "c", "a", "b"] {
                asked.append(service.ask(.move(task, to: 2, in: "l")))
            }
        }
        #expect(append.commits.map(\.version) == Array(2...6))
        store.pass()
        for pending in asked { #expect(try pending.value().changed) }
        #expect(copyCount() == before + 1)
    }

    /// The copied list is not changed, but keeps its changes of the same append.
    @Test func aListIsChangedCopiedAndChangedInAnAppend() throws {
        try service.make("l", ["a", "b"])
        try service.make("m")
        try service.make("other")
        let copy = CopyRequest(.task("a", at: Destination(), to: "m")) { { "c" } }
        var asked: [Pending<WriteResult>] = []
        let append = try store.oneAppend(during: "other", service) {
            asked = [
                service.ask(.move("a", to: 1, in: "l")),
                service.ask(WriteRequest(list: "l", action: .copy(copy, ofList: nil))),
                service.ask(.move("b", to: 1, in: "l")),
            ]
        }
        #expect(append.commits.map(\.list) == ["l", "m", "l"])
        #expect(append.commits.map(\.version) == [2, 2, 3])
        store.pass()
        for pending in asked { #expect(try pending.value().changed) }
        #expect(try service.order("l") == ["a", "b"])
        #expect(try service.order("m") == ["c"])
    }

    @Test func aListWhoseCreationFailedDoesNotExist() throws {
        store.hold()
        let failed = service.ask(try .make("l", ["a"]))
        _ = try store.nextBatch()
        store.fail()
        #expect(try failed.failure() == "unavailable")
        #expect(try service.read("l").failure() == "listNotFound")
        try service.waitForLists(0)
        store.open()
        try service.make("m", ["a"])
    }

    @Test func aLostSyncIsReported() throws {
        let reasons = Mutex<[String]>([])
        let store = GatedStore()
        let service = ListService.quiet(
            store,
            onLost: { error in
                reasons.withLock { $0.append(error.reason) }
            })
        store.hold()
        let pending = service.ask(try .make("l"))
        _ = try store.nextBatch()
        store.fail(.lost(reason: "the disk is gone"))
        #expect(try pending.failure() == "unavailable")
        #expect(reasons.withLock { $0 } == ["the disk is gone"])
        try service.stopIdle()
    }

    @Test func stoppingCommitsQueuedChanges() throws {
        store.hold()
        let first = service.ask(try .make("l", ["a"]))
        _ = try store.nextBatch()
        let second = service.ask(.create("b", in: "l"))
        let stopped = gated.stop()
        store.pass()
        #expect(try store.nextBatch().map(\.version) == [2])
        store.pass()
        try stopped.wait()
        #expect(try first.value().version == 1)
        #expect(try second.value().version == 2)
        #expect(try store.load("l")?.version == 2)
    }
}
