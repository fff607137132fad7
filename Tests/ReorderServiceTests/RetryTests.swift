import Foundation
import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderService

/// Requests with a key are applied once.
@Suite struct RetryTests {
    private let gated = GatedService()
    private var store: GatedStore { gated.store }
    private var service: ListService { gated.service }

    /// The second request arrives while the first one's append runs. It is decided afterwards.
    @Test func oneOfTwoConcurrentEqualRequestsIsApplied() throws {
        try service.make("l", ["a", "b"])
        store.hold()
        let first = service.ask(once: "k", .create("c", in: "l"))
        let append = try store.nextAppend()
        #expect(append.commits.map(\.version) == [2])
        #expect(append.responses.map(\.key) == [StoredResponseKey(.list, of: "l", "k")])
        let second = service.ask(once: "k", .create("c", in: "l"))
        #expect(!first.isAnswered && !second.isAnswered)
        store.pass()
        #expect(try first.value() == "2 true")
        #expect(try second.value() == "2 true again")
        #expect(try service.read("l").value().version == 2)
    }

    @Test(arguments: [false, true])
    func oneOfTwoEqualRequestsInAnAppendIsApplied(fails: Bool) throws {
        try service.make("l", ["a", "b"])
        try service.make("other")
        var asked: [Pending<String>] = []
        let append = try store.oneAppend(during: "other", service) {
            for _ in 0..<2 { asked.append(service.ask(once: "k", .create("c", in: "l"))) }
        }
        #expect(append.commits.map(\.version) == [2])
        #expect(append.responses.count == 1)
        store.open()
        if fails {
            store.fail()
            #expect(try asked[0].failure() == "unavailable")
            #expect(try asked[1].value() == "2 true")
        } else {
            store.pass()
            #expect(try asked[0].value() == "2 true")
            #expect(try asked[1].value() == "2 true again")
        }
        #expect(try service.read("l").value().version == 2)
    }

    /// The first one waits for its list.
    @Test func aRepeatedRequestIsRefusedWhileTheFirstOneIsNotDecided() throws {
        store.holdReads(of: "l")
        let first = service.ask(once: "k", .create("c", in: "l"))
        try store.nextRead()
        #expect(
            try service.ask(once: "k", .create("c", in: "l")).failure() == "requestInProgress")
        #expect(!first.isAnswered)
        store.passRead()
        #expect(try first.failure() == "listNotFound")
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
        #expect(try store.nextAppend().commits.count == 1)
        let refused = service.ask(once: "k", .create("b", in: "l"))
        let unchanged = service.ask(once: "u", .move("a", to: 0, in: "l"))
        store.pass()
        _ = try write.value()
        let append = try store.nextAppend()
        #expect(append.commits.isEmpty)
        #expect(append.responses.map(\.key.key) == ["k", "u"])
        #expect(!refused.isAnswered && !unchanged.isAnswered)
        store.fail()
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
        try service.make("other")
        var write: Pending<WriteResult>?
        var refused: Pending<String>?
        let append = try store.oneAppend(during: "other", service) {
            write = service.ask(.create("b", in: "l"))
            refused = service.ask(once: "k", .create("b", in: "l"))
        }
        #expect(append.commits.map(\.list) == ["l"])
        #expect(append.responses.map(\.key.key) == ["k"])
        store.fail()
        #expect(try write?.failure() == "unavailable")
        #expect(try refused?.failure() == "unavailable")
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
        try next.stopIdle()
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
            list: "l", action: .command(.update("a", TaskUpdate(title: "A"))))
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
