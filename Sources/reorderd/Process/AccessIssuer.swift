import Foundation
import Logging
import ReorderAuth
import ReorderStore
import Synchronization

/// Reads the keys of an issuer again and again, and puts them into effect.
///
/// The server also starts, and goes on with the keys that it has, while the issuer can't be reached.
final class AccessIssuer: Sendable {
    private let keys: IssuerKeys
    private let control: AccessControl
    private let logger: Logger
    private let due = TimedSemaphore()
    /// Whether the last attempt succeeded; nil before the first one.
    private let works = Mutex<Bool?>(nil)

    /// Issuers publish a key some time before they use it, and remove it some time after that.
    private static let secondsBetweenReads = 60
    /// A server that starts before its issuer refuses signed tokens until it has read the keys.
    private static let secondsAfterFailure = 5

    init(_ keys: IssuerKeys, _ control: AccessControl, _ logger: Logger) {
        self.keys = keys
        self.control = control
        self.logger = logger
    }

    /// Reads the keys, and begins to read them every minute, and more often while that fails.
    func start() {
        read()
        let thread = Thread {
            while true {
                let works = self.works.withLock(\.self) == true
                let seconds = works ? Self.secondsBetweenReads : Self.secondsAfterFailure
                self.due.wait(until: .now() + .seconds(seconds))
                self.read()
            }
        }
        thread.name = "issuer keys"
        thread.start()
    }

    /// Makes the thread read the keys now.
    func wake() { due.signal() }

    private func read() {
        let result = Result { try keys.current() }
        let (worked, works) = works.withLock { works in
            let before = works
            works = (try? result.get()) != nil
            return (before, works)
        }
        switch result {
        case .success(let current):
            control.use(current)
            guard worked != works else { return }
            logger.info(
                "read \(keys.url)",
                metadata: ["keys": "\(current.count)", "skipped": "\(current.skippedCount)"])
        case .failure(let error):
            guard worked != works else { return }
            logger.error(
                "\(keys.url) can't be used, the keys that were read before stay in effect: \(error)"
            )
        }
    }
}
