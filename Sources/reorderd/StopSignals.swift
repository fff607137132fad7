import Dispatch
import Foundation
import Synchronization

/// Waits for SIGTERM or SIGINT. A broken pipe is not a reason to end.
struct StopSignals {
    private let received = Received()
    /// Kept, because a released source no longer listens.
    private let sources: [any DispatchSourceSignal]

    private final class Received: Sendable {
        let name = Mutex<String?>(nil)
        let semaphore = DispatchSemaphore(value: 0)
    }

    init() {
        signal(SIGPIPE, SIG_IGN)
        sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")].map { [received] number, name in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(
                signal: number, queue: DispatchQueue.global())
            source.setEventHandler {
                received.name.withLock { $0 = $0 ?? name }
                received.semaphore.signal()
            }
            source.resume()
            return source
        }
    }

    /// Blocks until one comes, and gives its name.
    func wait() -> String {
        received.semaphore.wait()
        return received.name.withLock { $0 } ?? "none"
    }
}
