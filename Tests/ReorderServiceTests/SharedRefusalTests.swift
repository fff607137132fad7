import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderService

/// Two services share a store. A refusal or a dry run that involves two lists uses the state of
/// both at the same moment, not one list before another server's change and the other after it.
@Suite struct SharedRefusalTests {
    let (here, there): (SharedFront, SharedFront)
    let (service, other): (ListService, ListService)

    init() throws {
        let hub = SharedMemory()
        (here, there) = (SharedFront(hub), SharedFront(hub))
        (service, other) = (.quiet(here), .quiet(there))
        try other.make("l", ["a", "b"])
        try other.make("m", ["c"])
    }

    private func stop() throws {
        for gate in [here.appends, here.looks, here.loads] { gate.open() }
        try service.stopIdle()
        try other.stopIdle()
    }

    /// Lets the other service change the lists after `service` has read the first list and before
    /// it reads the second.
    private func ask(
        _ request: WriteRequest, while change: () throws -> Void
    ) throws -> Pending<WriteResult> {
        here.loads.close()
        let asked = service.ask(request)
        try here.loads.wait()
        try change()
        here.loads.open()
        here.loads.pass()
        return asked
    }

    @Test(arguments: [false, true])
    func aTaskMovedByAnotherServerIsNotFoundRatherThanTaken(isDry: Bool) throws {
        var request = WriteRequest.transfer("a", from: "l", to: "m")
        request.isDryRun = isDry
        let move = try ask(request) {
            _ = try other.ask(.transfer("a", from: "l", to: "m")).value()
        }
        #expect(try move.failure() == "refused taskNotFound(\"a\")")
        try stop()
    }

    @Test func aDryRunIsOfOneMoment() throws {
        // Before the change, the destination is at the end; after it, the task does not exist.
        var request = WriteRequest.transfer("a", from: "l", to: "m")
        request.isDryRun = true
        let dry = try ask(request) {
            _ = try other.ask(WriteRequest(list: "l", action: .command(.delete("a")))).value()
            _ = try other.ask(.create("d", in: "m")).value()
        }
        #expect(try dry.failure() == "refused taskNotFound(\"a\")")
        try stop()
    }

    /// The destination list is in memory, and another request updates it meanwhile.
    @Test func aListUpdatedMeanwhileIsReadAgain() throws {
        _ = try service.read("m").value()
        let move = try ask(.transfer("a", from: "l", to: "m")) {
            _ = try other.ask(.transfer("a", from: "l", to: "m")).value()
            _ = try service.read("m").value()
        }
        #expect(try move.failure() == "refused taskNotFound(\"a\")")
        try stop()
    }

    /// A list that is being changed here needs no query of its own: one for the batch, and one when the
    /// other list was loaded.
    @Test func localChangesCauseNoNewQuery() throws {
        here.appends.close()
        let create = service.ask(.create("d", in: "m"))
        try here.appends.wait()
        let before = here.lookCount.load(ordering: .relaxed)
        let move = service.ask(.transfer("x", from: "l", to: "m"))
        here.appends.open()
        here.appends.pass()
        #expect(try move.failure() == "refused taskNotFound(\"x\")")
        #expect(here.lookCount.load(ordering: .relaxed) == before + 2)
        _ = try create.value()
        try stop()
    }

    // MARK: Retries

    /// Returns the result of a request that completes without waiting.
    private func ask<Value>(
        _ ask: (ListService) -> Pending<Value>
    ) throws -> (here: Pending<Value>, there: Value) {
        here.looks.close()
        let asked = ask(service)
        try here.looks.wait()
        let done = try ask(other).value()
        here.looks.open()
        here.looks.pass()
        return (asked, done)
    }

    @Test func aDeletionAppliedByAnotherServerIsReplayed() throws {
        let list = try ask { service in
            service.ask(once: "k", WriteRequest(list: "l", action: .deleteList()))
        }
        #expect(try list.here.value() == list.there + " again")
        let task = try ask { service in
            service.ask(
                once: "k", WriteRequest(list: "", action: .command(.delete("c"))), owner: .task("c")
            )
        }
        #expect(try task.here.value() == task.there + " again")
        #expect(
            try service.ask(once: "n", WriteRequest(list: "l", action: .deleteList())).failure()
                == "listNotFound")
        try stop()
    }

    @Test(arguments: [true, false])
    func anOpAppliedByAnotherServerIsReplayed(isAtomic: Bool) throws {
        let create = Command.create(TaskContent(id: "n", title: "n"), at: Destination())
        let ops = try ask { service in
            service.ask(ops: [("1", create)], in: "l", isAtomic: isAtomic)
        }
        #expect(ops.there.words == ["done"])
        #expect(try ops.here.value().words == ["done again"])
        if isAtomic {
            #expect(
                try service.ask(ops: [("2", create)], in: "l").failure()
                    == "command 0 refused idTaken(\"n\")")
        }
        try stop()
    }
}
