import Foundation
import Synchronization
import Testing
import Waiting

/// Work on a thread of its own.
final class Pending<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () throws -> Value) {
        Thread {
            let result = Result { try work() }
            self.result.withLock { $0 = result }
            self.ended.signal()
        }.start()
    }

    var isDone: Bool { result.withLock { $0 != nil } }

    /// Waits for the result. Can be called once.
    func get() throws -> Value {
        try ended.waitForSignal()
        let result = result.withLock(\.self)
        return try #require(result).get()
    }
}
