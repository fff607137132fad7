import Foundation
import Logging
import ReorderJSON
import Synchronization

/// The format of log lines.
enum LogFormat: String, CaseIterable {
    case plain, json
}

/// Writes each message as exactly one line on standard error. Line ends and other control
/// characters in clients' data are escaped.
struct LineLogHandler: LogHandler {
    /// The metadata key of the request's id. In JSON lines, the id is a separate member.
    static let requestID = "requestId"

    let label: String
    let format: LogFormat
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(label: String, format: LogFormat, logLevel: Logger.Level) {
        self.label = label
        self.format = format
        self.logLevel = logLevel
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        let line = LogLine(
            milliseconds: Int64(Date().timeIntervalSince1970 * 1_000), level: event.level,
            label: label, message: "\(event.message)", metadata: all)
        Self.output.write(line.bytes(format))
    }

    private static let output = Output()

    /// Standard error. A long line can take several writes. The lock keeps other lines out of it.
    private final class Output: Sendable {
        private let turn = Mutex(())

        func write(_ line: [UInt8]) {
            turn.withLock { _ in
                var rest = line[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes {
                        Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
                    }
                    if count > 0 {
                        rest = rest.dropFirst(count)
                    } else if errno != EINTR {
                        // A failed write to standard error can't be reported.
                        return
                    }
                }
            }
        }
    }
}

/// A message with its metadata.
struct LogLine {
    /// Since 1970-01-01 UTC.
    var milliseconds: Int64
    var level: Logger.Level
    var label: String
    var message: String
    var metadata: Logger.Metadata

    /// The line, with a line feed at the end.
    func bytes(_ format: LogFormat) -> [UInt8] {
        switch format {
        case .plain: plain
        case .json: json
        }
    }

    private var sorted: [(key: String, value: Logger.MetadataValue)] {
        metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: As an object

    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("time")
        writer.time(milliseconds: milliseconds)
        writer.name("level")
        writer.string(level.rawValue)
        writer.name("logger")
        writer.string(label)
        writer.name("message")
        writer.string(message)
        if let id = metadata[LineLogHandler.requestID] {
            writer.name("requestId")
            writer.string("\(id)")
        }
        let others = sorted.filter { $0.key != LineLogHandler.requestID }
        if !others.isEmpty {
            writer.name("metadata")
            Self.write(others, to: &writer)
        }
        writer.endObject()
        return writer.takeBytes() + [UInt8(ascii: "\n")]
    }

    private static func write(
        _ members: [(key: String, value: Logger.MetadataValue)], to writer: inout JSONWriter
    ) {
        writer.beginObject()
        for (key, value) in members {
            writer.name(escaping: key)
            write(value, to: &writer)
        }
        writer.endObject()
    }

    private static func write(_ value: Logger.MetadataValue, to writer: inout JSONWriter) {
        switch value {
        case .stringConvertible(let number as Int): writer.int(number)
        case .stringConvertible(let number as Double) where number.isFinite:
            writer.raw("\(number)".utf8)
        case .string, .stringConvertible: writer.string("\(value)")
        case .array(let elements):
            writer.beginArray()
            for element in elements { write(element, to: &writer) }
            writer.endArray()
        case .dictionary(let members):
            write(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, to: &writer)
        }
    }

    // MARK: As plain text

    /// `TIME LEVEL LABEL: MESSAGE key=value key="a value"`.
    private var plain: [UInt8] {
        var time = JSONWriter()
        time.time(milliseconds: milliseconds)
        var line = time.takeBytes().dropFirst().dropLast() + " \(level) \(label): ".utf8
        line += Self.withoutControls(message).utf8
        for (key, value) in sorted {
            line += " \(Self.withoutControls(key))=\(Self.word("\(value)"))".utf8
        }
        line.append(UInt8(ascii: "\n"))
        return Array(line)
    }

    /// The text, in quotes if it could be read as several words.
    private static func word(_ text: String) -> String {
        let isWord =
            !text.isEmpty
            && text.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
            }
        guard !isWord else { return text }
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(withoutControls(escaped))\""
    }

    private static func withoutControls(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
