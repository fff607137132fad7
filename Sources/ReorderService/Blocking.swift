import DequeModule
import Dispatch
import Synchronization

/// The result of an operation that a thread waits for. For tools only; the server's threads never wait
/// for each other.
final class BlockingResult<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, ServiceError>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    /// - Parameter begin: begins the operation.
    init(_ begin: (@escaping Completion<Value>) -> Void) {
        begin { [self] result in
            self.result.withLock { $0 = result }
            isThere.signal()
        }
    }

    /// Blocks until the operation has ended. Call it once.
    func get() throws(ServiceError) -> Value {
        isThere.wait()
        guard let result = result.withLock(\.self) else { throw .unavailable }
        return try result.get()
    }
}

/// Writes that one thread begins at once, so that one commit can serve many of them. For tools only.
package struct BlockingWrites {
    private let service: ListService
    private var results: Deque<BlockingResult<WriteOutcome>> = []

    package init(_ service: ListService) { self.service = service }

    /// Begins a write without a key.
    package mutating func start(_ request: WriteRequest) {
        results.append(BlockingResult { service.write(request, as: NoRenderer(), $0) })
    }

    /// Blocks until the write that was started first is durable or refused, and returns its result. Each
    /// write that was started can be finished once.
    package mutating func finishFirst() throws(ServiceError) -> WriteResult {
        guard let answer = try results.removeFirst().get().answer else { throw .unavailable }
        return answer
    }
}

/// Renders nothing. For requests without a key and without ops that have ids.
package struct NoRenderer: WriteRenderer {
    package init() {}
    package func bytes(of _: Result<WriteResult, ServiceError>, withTasks: Bool) -> [UInt8] { [] }
    package func bytes(
        of _: Result<CommandResult, ServiceError>, at _: Int, withTasks: Bool
    ) -> [UInt8] { [] }
}

extension ListService {
    /// Applies a write without a key, and blocks the calling thread until it is durable.
    package func write(_ request: WriteRequest) throws(ServiceError) -> WriteResult {
        var writes = BlockingWrites(self)
        writes.start(request)
        return try writes.finishFirst()
    }

    /// Returns the current list. Blocks the calling thread until it is in memory.
    package func versionedList(of list: String) throws(ServiceError) -> VersionedList {
        try BlockingResult { versionedList(of: list, $0) }.get()
    }
}
