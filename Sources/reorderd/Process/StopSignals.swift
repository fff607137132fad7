import Dispatch
import Foundation
import Synchronization

/// Waits for SIGTERM or SIGINT. SIGPIPE is ignored.
struct StopSignals {
    private let received = Received()
    /// Retained, because a released source no longer receives signals.
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

    /// Blocks until a signal arrives, and returns the name of the first one.
    func wait() -> String {
        received.semaphore.wait()
        return received.name.withLock { $0 } ?? "none"
    }

    /// Blocks until another signal arrives, or for this time.
    func wait(seconds: Int) {
        _ = received.semaphore.wait(timeout: .now() + .seconds(seconds))
    }
}
