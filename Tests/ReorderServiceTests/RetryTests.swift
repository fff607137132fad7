import Foundation
import ReorderEngine
import ReorderStore
import Testing

@testable import ReorderService

/// Requests with a key are applied once.
@Suite struct RetryTests {
    private let gated = GatedService()
    private var store: GatedStore { gated.store }
    private var service: ListService { gated.service }

    @Test func oneOfTwoConcurrentEqualRequestsIsApplied() throws {
        try service.make("l", ["a", "b"])
        store.hold()
        let first = service.ask(once: "k", .create("c", in: "l"))
        let append = try store.nextAppend()
        #expect(append.commits.map(\.version) == [2])
        #expect(append.responses.map(\.key) == [StoredResponseKey(.list, of: "l", "k")])
        let second = service.ask(once: "k", .create("c", in: "l"))
        #expect(try second.failure() == "requestInProgress")
        #expect(!first.isAnswered)
        store.pass()
        #expect(try first.value() == "2 true")
        #expect(try service.ask(once: "k", .create("c", in: "l")).value() == "2 true again")
        #expect(try service.read("l").value().version == 2)
    }

    @Test func aRetryAppliesARequestWhoseCommitFailed() throws {
        try service.make("l", ["a"])
        store.hold()
        let first = service.ask(once: "k", .create("c", in: "l"))
        _ = try store.nextAppend()
        store.fail()
        #expect(try first.failure() == "unavailable")
        store.open()
        #expect(try service.ask(once: "k", .create("c", in: "l")).value() == "2 true")
        #expect(try service.ask(once: "k", .create("c", in: "l")).value() == "2 true again")
        #expect(try service.order("l") == ["a", "c"])
    }

    @Test func aRefusalIsStoredBeforeItIsSent() throws {
        try service.make("l", ["a"])
        store.hold()
        let write = service.ask(.create("b", in: "l"))
        let refused = service.ask(once: "k", .create("b", in: "l"))
        let unchanged = service.ask(once: "u", .move("a", to: 0, in: "l"))
        var append = try store.nextAppend()
        #expect(append.commits.count == 1)
        #expect(append.responses.isEmpty)
        store.pass()
        _ = try write.value()
        // Both responses can be stored in one commit or in two.
        var stored: Set<String> = []
        while stored.count < 2 {
            append = try store.nextAppend()
            #expect(append.commits.isEmpty)
            stored.formUnion(append.responses.map(\.key.key))
            for answer in append.responses {
                #expect(!(answer.key.key == "k" ? refused : unchanged).isAnswered)
            }
            store.fail()
            if stored.contains("k") { _ = try refused.wait() }
            if stored.contains("u") { _ = try unchanged.wait() }
        }
        #expect(try refused.failure() == "unavailable")
        #expect(try unchanged.failure() == "unavailable")

        store.open()
        let word = #"refused idTaken("b")"#
        #expect(try service.ask(once: "k", .create("b", in: "l")).value() == word)
        _ = try service.ask(WriteRequest(list: "l", action: .command(.delete("b")))).value()
        #expect(try service.ask(once: "k", .create("b", in: "l")).value() == word + " again")
        #expect(try service.ask(once: "u", .move("a", to: 0, in: "l")).value() == "3 false")
    }

    @Test func aRefusalBasedOnAFailedVersionIsNotStored() throws {
        try service.make("l", ["a"])
        store.hold()
        let write = service.ask(.create("b", in: "l"))
        let refused = service.ask(once: "k", .create("b", in: "l"))
        _ = try store.nextAppend()
        store.fail()
        #expect(try write.failure() == "unavailable")
        #expect(try refused.failure() == "unavailable")
        store.open()
        #expect(try service.ask(once: "k", .create("b", in: "l")).value() == "2 true")
    }

    @Test func aResponseIsStoredForExactlyOneDay() throws {
        try service.make("l")
        #expect(try service.ask(once: "k", .create("a", in: "l")).value() == "2 true")
        gated.clock.advance(seconds: 24 * 60 * 60 - 0.001)
        #expect(try service.ask(once: "k", .create("a", in: "l")).value() == "2 true again")
        let next = ListService.quiet(store, clock: gated.clock.now)
        #expect(try next.ask(once: "k", .create("a", in: "l")).value() == "2 true again")
        gated.clock.advance(seconds: 0.001)
        let word = #"refused idTaken("a")"#
        #expect(try next.ask(once: "k", .create("a", in: "l")).value() == word)
        #expect(try next.ask(once: "k", .create("a", in: "l")).value() == word + " again")
        try next.stop()
    }

    @Test func aStoredDeletionIsReplayedEvenIfTheListExistsAgain() throws {
        let deletion = WriteRequest(list: "l", action: .deleteList())
        try service.make("l", ["a"])
        #expect(try service.ask(once: "k", deletion).value() == "2 true")
        #expect(try service.ask(once: "k", deletion).value() == "2 true again")
        try service.make("l", ["b"])
        #expect(try service.ask(once: "k", deletion).value() == "2 true again")
        #expect(try service.order("l") == ["b"])
    }

    @Test func aTasksKeyRemainsValidAfterATransferOrDeletion() throws {
        try service.make("l", ["a", "b"])
        try service.make("m")
        let owner = IdempotencyKey.Owner.task("a")
        let update = WriteRequest(
            list: "l", action: .command(.update("a", TaskPatch(title: "A"))))
        #expect(try service.ask(once: "u", update, owner: owner).value() == "2 true")
        let move = MoveRequest(.task("a"), to: Destination(place: .init(.section(nil))))
        let transfer = WriteRequest(list: "l", action: .transfer(move, to: "m"))
        store.hold()
        let moved = service.ask(once: "t", transfer)
        let append = try store.nextAppend()
        #expect(append.commits.count == 2)
        #expect(append.responses.count == 1)
        store.pass()
        #expect(try moved.value() == "3 true")
        store.open()
        #expect(try service.ask(once: "t", transfer).value() == "3 true again")
        #expect(try service.ask(once: "u", update, owner: owner).value() == "2 true again")
        let deletion = WriteRequest(list: "", action: .command(.delete("a")))
        #expect(try service.ask(once: "d", deletion, owner: owner).value() == "3 true")
        #expect(try service.ask(once: "d", deletion, owner: owner).value() == "3 true again")
        #expect(try service.ask(once: "n", deletion, owner: owner).failure() == "taskNotFound")
    }
}
