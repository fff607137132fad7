import Dispatch
import Foundation
import Logging
import ReorderStore
import Synchronization

/// Handles SIGTERM and SIGINT. SIGPIPE is ignored.
///
/// Until the store is open, a signal ends the process at once with exit code 0, whatever the process
/// waits for. Like a crash, this loses nothing. Later, `wait` returns.
///
/// `@unchecked Sendable`: `sources` are only retained, and the other properties are `Sendable`.
struct StopSignals: @unchecked Sendable {
    /// The signals are handled from the first use on.
    static let shared = StopSignals()

    private let received = Received()
    /// Retained, because a released source no longer receives signals.
    private let sources: [any DispatchSourceSignal]

    private enum Phase {
        case starting(Logger?)
        /// The first signal, if one has arrived.
        case running(String?)
    }

    private final class Received: Sendable {
        let phase = Mutex(Phase.starting(nil))
        let semaphore = TimedSemaphore()

        func take(_ name: String) {
            phase.withLock { phase in
                switch phase {
                case .starting(let logger):
                    logger?.info("stopping", metadata: ["signal": "\(name)"])
                    _exit(EXIT_SUCCESS)
                case .running(let first): phase = .running(first ?? name)
                }
            }
            semaphore.signal()
        }
    }

    private init() {
        signal(SIGPIPE, SIG_IGN)
        let signals = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")]
        // A signal that arrives before its source is ready stays pending.
        var numbers = sigset_t()
        sigemptyset(&numbers)
        for (number, _) in signals { sigaddset(&numbers, number) }
        pthread_sigmask(SIG_BLOCK, &numbers, nil)
        sources = signals.map { [received] number, name in
            let source = DispatchSource.makeSignalSource(
                signal: number, queue: DispatchQueue.global())
            source.setEventHandler { received.take(name) }
            source.resume()
            return source
        }
    }

    /// Logs a signal that ends the process during its start.
    func log(to logger: Logger) { received.phase.withLock { $0 = .starting(logger) } }

    /// From now on, `wait` returns after a signal.
    func endStart() { received.phase.withLock { $0 = .running(nil) } }

    /// Blocks until a signal arrives, and returns the name of the first one.
    func wait() -> String {
        received.semaphore.wait()
        return received.phase.withLock { phase in
            if case .running(let name?) = phase { name } else { "none" }
        }
    }

    /// Blocks until another signal arrives, or for this time.
    func wait(seconds: Int) {
        received.semaphore.wait(until: .now() + .seconds(seconds))
    }
}
