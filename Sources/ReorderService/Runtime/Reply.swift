import Synchronization

/// A request that waits, and runs again once it is resumed.
package protocol Resumable: AnyObject, Sendable {
    /// Has the request run again. From any thread; it must be quick. A request that was resumed for
    /// nothing waits again.
    func resume()
}

/// The result of work that another thread does for a request.
package final class Reply<Value: Sendable>: Sendable {
    private let content = Mutex<Result<Value, ServiceError>?>(nil)
    private let waiter: any Resumable

    /// - Parameter waiter: resumed once the result is there.
    package init(for waiter: any Resumable) {
        self.waiter = waiter
    }

    /// The result; nil until it is there.
    package var result: Result<Value, ServiceError>? { content.withLock { $0 } }

    /// Gives the result. Only the first one counts.
    package func fill(_ result: Result<Value, ServiceError>) {
        let isFirst = content.withLock { content in
            guard content == nil else { return false }
            content = result
            return true
        }
        if isFirst { waiter.resume() }
    }
}
