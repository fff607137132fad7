import Dispatch
import Foundation
import Synchronization

/// Waits for SIGTERM or SIGINT. A broken pipe is not a reason to end.
final class StopSignals: Sendable {
    private let received = Mutex<Int32?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)
    /// Kept, because a released source no longer listens.
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    init() {
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGTERM, SIGINT] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(
                signal: number, queue: DispatchQueue.global())
            source.setEventHandler { [self] in
                received.withLock { $0 = $0 ?? number }
                semaphore.signal()
            }
            source.resume()
            sources.withLock { $0.append(source) }
        }
    }

    /// Blocks until one comes, and gives its name.
    func wait() -> String {
        semaphore.wait()
        return received.withLock { $0 } == SIGINT ? "SIGINT" : "SIGTERM"
    }
}
