import ArgumentParser
import Logging
import MicroHTTP

/// What is logged, and how it is written.
struct LogOptions: ParsableArguments {
    @Option(
        help: """
            The least severe messages to log: trace, debug, info, notice, warning, error or critical.
            """)
    var logLevel = Logger.Level.info

    @Option(help: "How a log line is written: plain, or json (an object a line).")
    var logFormat = LogFormat.plain

    @Flag(help: "Log a line for each request.")
    var logRequests = false

    @Option(help: "Log requests that took so many milliseconds or more; 0: none.")
    var slowRequestMs = 0

    func validate() throws {
        guard (0...3_600_000).contains(slowRequestMs) else {
            throw ValidationError("--slow-request-ms is 0 to 3600000.")
        }
    }

    /// The server's logger. To be called once.
    func makeLogger() -> Logger {
        let (format, level) = (logFormat, logLevel)
        LoggingSystem.bootstrap { label in
            LineLogHandler(label: label, format: format, logLevel: level)
        }
        return Logger(label: "reorderd")
    }

    /// The answers that get a line: those that failed in any case, though 503s only now and then.
    func report(to logger: Logger) -> AnswerReport {
        let slowSeconds = slowRequestMs > 0 ? Double(slowRequestMs) / 1_000 : nil
        let limit = LineLimit()
        let logsAll = logRequests
        return AnswerReport(isOfAll: logRequests, slowSeconds: slowSeconds) { answered in
            let isSlow = slowSeconds.map { answered.seconds >= $0 } ?? false
            var metadata: Logger.Metadata = [
                LineLogHandler.requestID: "\(answered.id)", "method": "\(answered.method)",
                "path": "\(answered.path)", "status": .stringConvertible(answered.status),
                "bytes": .stringConvertible(answered.bodyBytes),
                "ms": .stringConvertible((answered.seconds * 1e6).rounded() / 1e3),
            ]
            if answered.status == 503, !logsAll {
                guard let count = limit.pass(answered.refusal.map { "\($0)" } ?? "") else { return }
                if count > 0 { metadata["leftOut"] = .stringConvertible(count) }
            }
            metadata["code"] = answered.refusal.map { "\($0)" }
            metadata["route"] = answered.route.map { "\($0)" }
            logger.log(
                level: answered.status >= 500 ? .error : isSlow ? .warning : .info,
                isSlow
                    ? "a slow request" : answered.status >= 500 ? "a request failed" : "answered",
                metadata: metadata)
        }
    }
}

enum LogFormat: String, ExpressibleByArgument, CaseIterable {
    case plain, json
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
