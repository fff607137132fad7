import Dispatch
import ReorderStore
import StoreTesting
import Synchronization
import Waiting

/// A memory store that fails on request.
final class FailingStore: ForwardingStore {
    private let memory = MemoryListStore()
    private let failure = Mutex<StoreError?>(nil)
    private let pause = Mutex<Pause?>(nil)

    /// An `append` that waits until the test lets it continue.
    final class Pause: Sendable {
        fileprivate let arrived = DispatchSemaphore(value: 0)
        fileprivate let resumed = DispatchSemaphore(value: 0)

        /// Waits until the `append` is waiting.
        func wait() throws { try arrived.waitForSignal() }

        func resume() { resumed.signal() }
    }

    /// Makes the next `append` wait.
    func pauseAppend() -> Pause {
        let next = Pause()
        pause.withLock { $0 = next }
        return next
    }

    /// From now on, every call throws this error; nil: none does.
    func fail(_ error: StoreError?) { failure.withLock { $0 = error } }

    func destination() throws(StoreError) -> any ListStore {
        if let error = failure.withLock({ $0 }) { throw error }
        return memory
    }

    func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        if let pause = pause.withLock({ $0.take() }) {
            pause.arrived.signal()
            pause.resumed.wait()
        }
        try destination().append(commits, responses: responses, beforeVisible: beforeVisible)
    }
}
