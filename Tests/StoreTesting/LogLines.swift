import Logging
import Synchronization

/// Collects the log lines at or above a level (default: error), in order.
package final class LogLines: Sendable {
    private let logged = Mutex<[String]>([])
    private let level: Logger.Level

    package init(level: Logger.Level = .error) { self.level = level }

    package var lines: [String] { logged.withLock(\.self) }
    package var errors: [String] { lines }

    package var handler: any LogHandler { Handler(log: self, logLevel: level) }

    private struct Handler: LogHandler {
        let log: LogLines
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }
                .map { " \($0.key)=\($0.value)" }
            log.logged.withLock { $0.append("\(event.message)\(details.joined())") }
        }
    }
}
