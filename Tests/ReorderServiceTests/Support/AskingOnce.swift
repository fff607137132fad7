import Foundation
import ReorderJSON
import ReorderStore
import Synchronization

@testable import ReorderService

/// A clock that a test sets.
final class ManualClock: Sendable {
    private let seconds = Mutex<Double>(1_000_000_000)
    /// The seconds that have passed.
    private let elapsed = Mutex<Double>(0)

    var now: @Sendable () -> Date {
        { [self] in Date(timeIntervalSince1970: seconds.withLock(\.self)) }
    }

    /// The system's environment with this clock.
    var environment: ServiceEnvironment {
        var environment = ServiceEnvironment.system
        environment.date = now
        environment.uptime = { [self] in
            ServiceEnvironment.system.uptime() + UInt64(elapsed.withLock(\.self) * 1e9)
        }
        return environment
    }

    /// Lets time pass. If it is negative, the clock is set back.
    func advance(seconds: Double) {
        elapsed.withLock { $0 += max(0, seconds) }
        set(aheadBy: seconds)
    }

    /// Sets the clock, while no time passes.
    func set(aheadBy seconds: Double) { self.seconds.withLock { $0 += seconds } }
}

extension ListService {
    /// Sends a request with a key. Returns `version changed` or the refusal's name, followed by
    /// `again` for a stored response.
    func ask(
        once key: String, _ request: WriteRequest, digest: [UInt8] = [1],
        owner: IdempotencyKey.Owner? = nil
    ) -> Pending<String> {
        var request = request
        request.key = IdempotencyKey(owner ?? .list(request.list), key: key, digest: digest)
        if case .task(let task)? = owner { request.containedTask = task }
        let write = request
        return pending { service, done in
            service.write(write, as: WordRenderer()) { outcome in
                done(
                    Result { () throws(ServiceError) in
                        switch try outcome.get() {
                        case .result: throw .unavailable
                        case .stored(let bytes, _): String(decoding: bytes, as: UTF8.self)
                        case .replayed(let bytes):
                            String(decoding: bytes, as: UTF8.self) + " again"
                        }
                    })
            }
        }
    }

    /// Sends ops with ids, and returns a word for each result.
    func ask(
        ops: [(id: String?, command: Command)], in list: String, isAtomic: Bool = true
    ) -> Pending<WriteResult> {
        let keys = ops.map { op in
            op.id.map { id in
                let hash = "\(op.command)".hashValue
                return OperationKey(id: id, digest: withUnsafeBytes(of: hash, Array.init))
            }
        }
        return ask(
            WriteRequest(
                list: list,
                action: .batch(
                    Batch(ops.map(\.command), isAtomic ? .atomic : .separate, once: keys))))
    }
}

extension Result<CommandResult, ServiceError> {
    var word: String {
        switch self {
        case .success(.replayed(let bytes, _)): String(decoding: bytes, as: UTF8.self) + " again"
        case .success: "done"
        case .failure(let error): error.word
        }
    }
}

extension WriteResult {
    /// A word for the result of each op of a batch.
    var words: [String] {
        guard case .batch(let results) = result else { return [] }
        return results.map(\.word)
    }
}
