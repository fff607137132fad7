import ReorderStore
import StoreTesting
import Testing
import Waiting

@testable import ReorderService

/// If a shared store is reachable but fails, the log reports it once.
@Suite struct SharedFailureTests {
    private let failure = StoreError.failed(reason: "no table (42P01)")
    private let line = "the store failed error=no table (42P01) list="
    private let log = LogLines()
    // The store is read only when the tests request it.
    private let front = SharedFront(SharedMemory(), tells: false, secondsBetweenPolls: 3_600)
    private let service: ListService

    init() throws {
        service = .quiet(front, log: log)
        try service.make("l", ["a"])
    }

    @Test func aFailureOfASharedQueryIsLoggedOnce() throws {
        front.looks.close()
        let first = service.read("l")
        try front.looks.wait()
        let others = (0..<100).map { _ in service.read("l") }
        front.fail(failure)
        front.looks.pass()
        try front.looks.wait()
        front.looks.open()
        front.looks.pass()
        for read in [first] + others { #expect(try read.failure() == "unavailable") }
        #expect(log.errors == [line + "l", line + "l"])
        front.fail(nil)
        #expect(try service.order("l") == ["a"])
        try service.stopIdle()
    }

    @Test func aServiceWhoseCommitsFailIsNotReady() throws {
        #expect(service.isReady)
        #expect(service.metrics.commits.changes.count == 1)
        front.appends.close()
        let write = service.ask(.create("b", in: "l"))
        try front.appends.wait()
        front.fail(failure)
        front.appends.open()
        front.appends.pass()
        #expect(try write.failure() == "unavailable")
        #expect(!service.isReady)
        #expect(service.metrics.commits.changes.count == 1)
        #expect(service.metrics.commits.failed == 1)
        front.fail(nil)
        try service.stopIdle()
    }

    @Test func aFailureOfASingleRequestIsLogged() throws {
        front.fail(failure)
        let index = service.pending { $0.index(after: nil, limit: 1, $1) }
        #expect(try index.failure() == "unavailable")
        let found = service.versionedList(ofListContaining: "a")
        #expect(try found.failure() == "unavailable")
        #expect(log.errors == [line + "index", line + "?"])
        front.setAway(true)
        #expect(try service.read("l").failure() == "unavailable")
        #expect(log.errors.count == 2)
        try service.stopIdle()
    }

    @Test func aFailedPollIsLoggedOnceUntilAPollSucceeds() throws {
        let front = SharedFront(SharedMemory())
        let log = LogLines()
        let service = ListService.quiet(front, log: log)
        try service.make("l", ["a"])
        let channel = service.channel(of: "l")
        defer { withExtendedLifetime(channel) {} }
        for times in 1...2 {
            let failed = front.failedPollCount.load(ordering: .sequentiallyConsistent)
            front.fail(failure)
            try waitUntil {
                front.failedPollCount.load(ordering: .sequentiallyConsistent) >= failed + 3
            }
            #expect(log.errors == Array(repeating: line + "?", count: times))
            front.fail(nil)
            try waitUntil { service.isReady }
        }
        try service.stopIdle()
    }
}
