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
