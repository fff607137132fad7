import Dispatch
import Foundation
import Synchronization

/// A thread for work in the background, which sleeps until it is woken, a time comes, or it is stopped.
final class BackgroundThread: Sendable {
    private let name: String
    private let signal = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let stopFlag = Atomic<Bool>(false)

    init(_ name: String) { self.name = name }

    /// Whether `stop` was called.
    var isStopping: Bool { stopFlag.load(ordering: .acquiring) }

    /// Starts the thread. `body` is to return once `isStopping` is true.
    func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [ended] in
            body()
            ended.signal()
        }
        thread.name = name
        thread.start()
    }

    /// Blocks the thread until one of the others calls `wake` or `stop`, or until a time. To be called on this
    /// thread. A call of `wake` while the thread works ends its next sleep at once.
    func sleep(until time: DispatchTime = .distantFuture) {
        _ = signal.wait(timeout: time)
    }

    /// Ends the sleep.
    func wake() { signal.signal() }

    /// Ends the sleep, and waits until `body` has returned.
    func stop() {
        stopFlag.store(true, ordering: .releasing)
        signal.signal()
        ended.wait()
    }
}
