import Synchronization

/// Gets the result of an operation. Called once, on any thread, perhaps before the operation's function
/// returns. It must be quick, because the thread can be the writer's.
package typealias Completion<Value> = @Sendable (Result<Value, ServiceError>) -> Void

/// Continues an operation with the value of its last step. An error ends the operation.
///
/// - Parameters:
///   - done: gets the error of the last step or of `next`.
///   - next: calls `done`, now or later, unless it throws.
func continuing<Value, Step>(
    _ done: @escaping Completion<Value>,
    _ next: @escaping @Sendable (Step) throws(ServiceError) -> Void
) -> Completion<Step> {
    { step in
        attempt(done) { () throws(ServiceError) in try next(try step.get()) }
    }
}

/// Does a step of an operation. An error ends the operation.
func attempt<Value>(
    _ done: Completion<Value>, _ step: () throws(ServiceError) -> Void
) {
    do throws(ServiceError) {
        try step()
    } catch {
        done(.failure(error))
    }
}

/// Begins an operation for each item at once. Ends when all have ended, with their values in order or the
/// first error.
///
/// - Parameter begin: begins the operation of an item.
package func all<Item, Value: Sendable>(
    _ items: [Item], _ begin: (Item, @escaping Completion<Value>) -> Void,
    _ done: @escaping Completion<[Value]>
) {
    guard !items.isEmpty else { return done(.success([])) }
    let results = Results<Value>(count: items.count)
    for (index, item) in items.enumerated() {
        begin(item) { result in
            if let all = results.add(result, at: index) { done(all) }
        }
    }
}

private final class Results<Value: Sendable>: Sendable {
    private let state: Mutex<(results: [Result<Value, ServiceError>?], left: Int)>

    init(count: Int) { state = Mutex((Array(repeating: nil, count: count), count)) }

    /// Returns the result of all operations when the last one has ended.
    func add(
        _ result: Result<Value, ServiceError>, at index: Int
    ) -> Result<[Value], ServiceError>? {
        state.withLock { state in
            state.results[index] = result
            state.left -= 1
            guard state.left == 0 else { return nil }
            return Result { () throws(ServiceError) in
                var values: [Value] = []
                for result in state.results {
                    if let result { values.append(try result.get()) }
                }
                return values
            }
        }
    }
}
