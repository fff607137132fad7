import ArgumentParser
import Logging
import MicroHTTP

/// The options for logs: the messages to log, and their format.
struct LogOptions: ParsableArguments {
    @Option(
        help: """
            The lowest level to log: trace, debug, info, notice, warning, error or critical.
            """)
    var logLevel = Logger.Level.info

    @Option(help: "The format of log lines: plain, or json (one object per line).")
    var logFormat = LogFormat.plain

    @Flag(help: "Log each request.")
    var logRequests = false

    @Option(help: "Log requests that take this number of milliseconds or more; 0: don't log them.")
    var slowRequestMs = 0

    func validate() throws {
        guard (0...3_600_000).contains(slowRequestMs) else {
            throw ValidationError("--slow-request-ms must be from 0 to 3600000.")
        }
        guard !logRequests || logLevel <= .info else {
            throw ValidationError("--log-requests needs --log-level info or lower.")
        }
        guard slowRequestMs == 0 || logLevel <= .warning else {
            throw ValidationError("--slow-request-ms needs --log-level warning or lower.")
        }
    }

    /// Sets up the logging system and returns the server's logger. Call it once.
    func makeLogger() -> Logger {
        let (format, level) = (logFormat, logLevel)
        LoggingSystem.bootstrap { label in
            LineLogHandler(label: label, format: format, logLevel: level)
        }
        return Logger(label: "reorderd")
    }

    /// The responses to log. Those with a status from 500 on are always logged, but 503 at a
    /// limited rate. A client that gets 429 is named once a minute.
    func report(to logger: Logger) -> AccessLog {
        let slowSeconds = slowRequestMs > 0 ? Double(slowRequestMs) / 1_000 : nil
        let limit = LogLineLimiter()
        let clientLimit = LogLineLimiter(timeBetweenLines: .seconds(60))
        let logsAll = logRequests
        return AccessLog(logsAll: logRequests, slowSeconds: slowSeconds) { answered in
            let isSlow = slowSeconds.map { answered.seconds >= $0 } ?? false
            var metadata: Logger.Metadata = [
                LineLogHandler.requestID: "\(answered.id)", "method": "\(answered.method)",
                "path": "\(answered.path)", "status": .stringConvertible(answered.status),
                "bytes": .stringConvertible(answered.bodyBytes),
                "ms": .stringConvertible((answered.seconds * 1e6).rounded() / 1e3),
            ]
            let isRefused = answered.status == 429 && !isSlow
            if !logsAll, answered.status == 503 || isRefused {
                let count =
                    isRefused
                    ? clientLimit.pass(
                        answered.principal ?? answered.client.map { "\($0.network)" } ?? "")
                    : limit.pass(answered.refusal.map { "\($0)" } ?? "")
                guard let count else { return }
                if count > 0 { metadata["leftOut"] = .stringConvertible(count) }
            }
            metadata["code"] = answered.refusal.map { "\($0)" }
            metadata["route"] = answered.route.map { "\($0)" }
            metadata["client"] = answered.client.map { "\($0)" }
            metadata["token"] = answered.principal.map { "\($0)" }
            if let trace = answered.trace {
                metadata["traceId"] = "\(trace.traceID)"
                metadata["parentId"] = "\(trace.parentID)"
                metadata["spanId"] = "\(trace.spanID)"
            }
            logger.log(
                level: answered.status >= 500 ? .error : isSlow || isRefused ? .warning : .info,
                isSlow
                    ? "slow request"
                    : answered.status >= 500
                        ? "request failed"
                        : isRefused ? "a client sends too many requests" : "answered",
                metadata: metadata)
        }
    }
}

extension LogFormat: ExpressibleByArgument {}

extension Logger.Level: @retroactive ExpressibleByArgument {}
