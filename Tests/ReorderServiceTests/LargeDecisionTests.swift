import Foundation
import ReorderEngine
import ReorderStore
import StoreTesting
import Synchronization
import Testing

@testable import ReorderService

@Suite struct LargeDecisionTests {
    /// A decision renders the response to a request with a key.
    @Test func aLargeWriteIsDecidedAndRenderedByAWorkerForLargeWork() throws {
        let service = ListService.quiet(MemoryListStore())
        defer { try? service.stopIdle() }
        var write = WriteRequest(
            list: "l", action: .create(try .flat((0..<20_000).map { "t\($0)" })))
        write.key = IdempotencyKey(.list("l"), key: "k", digest: [1])
        let renderer = ThreadRenderer()
        let outcome = try service.pending { $0.write(write, as: renderer, $1) }.value()
        #expect(outcome.answer?.version == 1)
        #expect(renderer.threads.withLock { $0.map { $0.prefix { $0 != " " } } } == ["large"])
    }

    /// Records the threads that render.
    private final class ThreadRenderer: WriteRenderer {
        let threads = Mutex<[String]>([])

        func bytes(of _: Result<WriteResult, ServiceError>, withTasks _: Bool) -> [UInt8] {
            threads.withLock { $0.append(Thread.current.name ?? "") }
            return []
        }

        func bytes(
            of _: Result<CommandResult, ServiceError>, at _: Int, withTasks _: Bool
        ) -> [UInt8] { [] }
    }
}
