import Logging
import Synchronization

/// What was logged as an error, in the order in which it was.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var errors: [String] { lines.withLock(\.self) }

    var handler: any LogHandler { Handler(log: self) }

    private struct Handler: LogHandler {
        let log: LogLines
        var logLevel = Logger.Level.error
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }
                .map { " \($0.key)=\($0.value)" }
            log.lines.withLock { $0.append("\(event.message)\(details.joined())") }
        }
    }
}
