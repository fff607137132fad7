import Synchronization

/// A waiting request. It runs again when it is resumed.
package protocol Resumable: AnyObject, Sendable {
    /// Runs the request again. Can be called from any thread, and must be quick. If the request
    /// still has to wait, it waits again.
    func resume()
}

/// The result of work that another thread does for a request.
package final class Reply<Value: Sendable>: Sendable {
    private let content = Mutex<Result<Value, ServiceError>?>(nil)
    private let waiter: any Resumable

    /// - Parameter waiter: resumed when the result is available.
    package init(for waiter: any Resumable) {
        self.waiter = waiter
    }

    /// The result; nil until it is available.
    package var result: Result<Value, ServiceError>? { content.withLock { $0 } }

    /// Sets the result. Later calls are ignored.
    package func fill(_ result: Result<Value, ServiceError>) {
        let isFirst = content.withLock { content in
            guard content == nil else { return false }
            content = result
            return true
        }
        if isFirst { waiter.resume() }
    }
}
