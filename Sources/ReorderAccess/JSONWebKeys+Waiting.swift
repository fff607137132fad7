import Dispatch
import Foundation
import Synchronization

extension JSONWebKeys {
    /// Reads a key set as `init(json:)` does, and waits for it: for threads that have nothing else to do.
    package static func waiting(for json: Data) throws -> JSONWebKeys {
        let outcome = Outcome<JSONWebKeys>()
        Task.detached {
            do {
                outcome.tell(.success(try await JSONWebKeys(json: json)))
            } catch {
                outcome.tell(.failure(error))
            }
        }
        return try outcome.wait()
    }
}

/// What became of something that another thread does.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func tell(_ result: Result<Value, any Error>) {
        self.result.withLock { $0 = result }
        isThere.signal()
    }

    func wait() throws -> Value {
        isThere.wait()
        guard let result = result.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }
}
