import Synchronization

/// A waiting request. It runs again when it is resumed.
package protocol Resumable: AnyObject, Sendable {
    /// Runs the request again. Can be called from any thread, and must be quick. If the request
    /// still has to wait, it waits again.
    func resume()
}

/// The result of work that another thread does for a request.
package final class Reply<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, ServiceError>?
        /// Whether the request has asked for the result before it was available.
        var isAwaited = false
    }

    private let state = Mutex(State())
    private let waiter: any Resumable

    /// - Parameter waiter: the request. It is resumed if it has asked for the result before the
    ///   result was available. If it has not asked yet, it is still running, and will find the
    ///   result.
    package init(for waiter: any Resumable) {
        self.waiter = waiter
    }

    /// The result; nil until it is available.
    package var result: Result<Value, ServiceError>? {
        state.withLock { state in
            if state.result == nil { state.isAwaited = true }
            return state.result
        }
    }

    /// Sets the result. Later calls are ignored.
    package func fill(_ result: Result<Value, ServiceError>) {
        let isAwaited = state.withLock { state in
            guard state.result == nil else { return false }
            state.result = result
            return state.isAwaited
        }
        if isAwaited { waiter.resume() }
    }
}

extension RequestContext {
    /// Returns the result of other work if it is available. Otherwise the run ends here.
    func result<Value>(of reply: Reply<Value>?) throws(ServiceError) -> Result<Value, ServiceError>
    {
        if let result = reply?.result { return result }
        if isOnWorker { isMissing = { reply?.result == nil } }
        throw .waiting
    }
}
