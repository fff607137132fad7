import ReorderEngine
import ReorderStore
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

        let read = service.read("l")
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
        #expect(!read.isAnswered)
        store.pass()

        #expect(try write.value().version == 2)
        #expect(try read.value().version == 2)
        #expect(try read.value().list.contains("c"))
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
        store.hold()
        let first = service.ask(try .make("first"))
        #expect(try store.nextBatch().count == 1)
        var others: [Pending<WriteResult>] = []
        for number in 0..<40 {
            others.append(service.ask(try .make("l\(number)")))
            // A worker must first find that the list does not exist.
            try waitUntil {
                service.committer.queue.withLock { $0.work.entries.count } > 2 * number
            }
            others.append(service.ask(.create("t\(number)", in: "l\(number)")))
        }
        store.pass()
        let batch = try store.nextBatch()
        #expect(batch.count == 80)
        // While the second append runs.
        _ = try first.value()
        #expect(others.allSatisfy { !$0.isAnswered })
        store.pass()
        for (index, pending) in others.enumerated() {
            #expect(try pending.value().version == index % 2 + 1)
        }
    }

    @Test func aFailedAppendFailsAllItsRequestsAndChangesNothing() throws {
        try service.make("l", ["a", "b"])
        try service.make("m", ["x", "y"])
        store.hold()
        let failed = service.ask(.move("a", to: 1, in: "l"))
        #expect(try store.nextBatch().map(\.list) == ["l"])
        let built = service.ask(.create("c", in: "l"))
        let read = service.read("l")
        let other = service.ask(.move("x", to: 1, in: "m"))
        store.fail()

        // The version based on the failed one failed with it. The other list's change did not.
        #expect(try store.nextBatch().map(\.list) == ["m"])
        for pending in [failed, built] { #expect(try pending.failure() == "unavailable") }
        #expect(try read.failure() == "unavailable")
        store.pass()
        #expect(try other.value().version == 2)

        store.open()
        #expect(try service.order("l") == ["a", "b"])
        #expect(try service.read("l").value().version == 1)
        #expect(try service.ask(.create("c", in: "l")).value().version == 2)
        let changes = try store.changes(of: "l", after: 0, limit: 10)
        #expect(changes?.map(\.version) == [1, 2])
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
            onLost: { reason in
                reasons.withLock { $0.append(reason) }
            })
        store.hold()
        let pending = service.ask(try .make("l"))
        _ = try store.nextBatch()
        store.fail(.lost(reason: "the disk is gone"))
        #expect(try pending.failure() == "unavailable")
        #expect(reasons.withLock { $0 } == ["the disk is gone"])
        try service.stop()
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
