import Logging
import ReorderStore
import StoreTesting
import Testing
import Waiting

@testable import ReorderService

/// The log lines about failed commits, and when the service is ready again.
@Suite struct CommitHealthTests {
    private let fullDisk = StoreError.unavailable(reason: "a full disk")

    @Test func failedCommitsAreLoggedAtTheStartEveryTenSecondsAndAtTheEnd() {
        let log = LogLines(level: .notice)
        let health = CommitHealth(logger: Logger(label: "test") { _ in log.handler })
        let second: UInt64 = 1_000_000_000
        health.succeeded(at: 0)
        for tenth in 0..<250 { health.failed(fullDisk, at: second + UInt64(tenth) * second / 10) }
        #expect(health.isFailing)
        health.succeeded(at: 30 * second)
        health.succeeded(at: 31 * second)
        #expect(!health.isFailing)
        health.failed(fullDisk, at: 32 * second)
        #expect(
            log.lines == [
                "commits fail error=a full disk failed=1 seconds=0",
                "commits still fail error=a full disk failed=101 seconds=10",
                "commits still fail error=a full disk failed=201 seconds=20",
                "commits succeed again failed=250 seconds=29",
                "commits fail error=a full disk failed=1 seconds=0",
            ])
    }

    @Test func aServiceWhoseCommitsFailIsNotReadyUntilAProbeSucceeds() throws {
        let store = GatedStore()
        let log = LogLines(level: .notice)
        let service = ListService.quiet(store, log: log)
        try service.make("l")
        #expect(service.isReady)
        service.tryCommit()
        store.fails(fullDisk)
        #expect(try service.ask(.create("a", in: "l")).failure() == "unavailable")
        #expect(!service.isReady)
        store.fails(nil)
        // The service probes the store by itself.
        try waitUntil { service.isReady && log.lines.count == 2 }
        #expect(log.lines.count == 2)
        #expect(log.lines.last?.hasPrefix("commits succeed again") == true)
        // The probe stored an expired response that belongs to no client.
        #expect(try service.ask(.create("a", in: "l")).value().version == 2)
        #expect(try store.removeResponses(expiredAt: 1, limit: 10) == false)
        try service.stopIdle()
    }

    @Test func aProbeIsWrittenOnlyWhileCommitsFail() throws {
        let store = GatedStore()
        let service = ListService.quiet(store)
        store.hold()
        service.probe()
        let write = service.ask(try .make("l"))
        #expect(try store.nextAppend().responses.isEmpty)
        store.fail()
        #expect(try write.failure() == "unavailable")
        service.probe()
        service.probe()
        let probe = try store.nextAppend()
        #expect(probe.commits.isEmpty && probe.responses.count == 1)
        store.open()
        store.pass()
        try service.stopIdle()
    }
}
