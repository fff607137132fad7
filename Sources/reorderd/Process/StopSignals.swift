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
        let endProcess = Mutex<(@Sendable (String) -> Never)?>(nil)
    }

    init() {
        signal(SIGPIPE, SIG_IGN)
        sources = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")].map { [received] number, name in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(
                signal: number, queue: DispatchQueue.global())
            source.setEventHandler {
                if let end = received.endProcess.withLock(\.self) { end(name) }
                received.name.withLock { $0 = $0 ?? name }
                received.semaphore.signal()
            }
            source.resume()
            return source
        }
    }

    /// Runs `body`, which may wait for long. A signal meanwhile does not wait for it.
    ///
    /// - Parameter end: ends the process after a signal with this name.
    func ending<Value>(
        by end: @escaping @Sendable (String) -> Never, _ body: () throws -> Value
    ) rethrows -> Value {
        received.endProcess.withLock { $0 = end }
        defer { received.endProcess.withLock { $0 = nil } }
        return try body()
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
