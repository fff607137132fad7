import MicroHTTP
import ReorderService
import Synchronization

/// What the store reads for a stream.
final class StreamRead<Value: Sendable>: Sendable {
    private let state: Mutex<Result<Value, ServiceError>?>

    /// - Parameters:
    ///   - stream: is woken when there is a result.
    ///   - begin: begins the operation.
    init(for stream: any Wakeable, _ begin: (@escaping Completion<Value>) -> Void) {
        state = Mutex(nil)
        begin { [self] result in
            state.withLock { $0 = result }
            stream.wake()
        }
    }

    /// A result that is known without a read.
    init(_ result: Result<Value, ServiceError>) { state = Mutex(result) }

    /// nil while the store reads.
    var result: Result<Value, ServiceError>? { state.withLock(\.self) }
}
