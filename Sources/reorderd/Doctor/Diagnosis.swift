import Foundation
import Logging
import Synchronization

/// What `doctor` has found: it prints a line for each finding.
final class Diagnosis: Sendable {
    private let counts = Mutex((lines: 0, problems: 0))

    var hasProblem: Bool { counts.withLock { $0.problems > 0 } }

    /// The findings of one check.
    struct Check: Sendable {
        fileprivate let diagnosis: Diagnosis
        fileprivate let name: String

        func ok(_ finding: String) { diagnosis.add("ok", name, finding) }

        func warning(_ finding: String, _ remedy: String) {
            diagnosis.add("warning", name, finding, remedy)
        }

        func problem(_ finding: String, _ remedy: String) {
            diagnosis.add("problem", name, finding, remedy)
        }
    }

    func check(_ name: String) -> Check { Check(diagnosis: self, name: name) }

    /// Takes a step that a server takes when it starts. What the step logs are the findings.
    ///
    /// - Parameter ok: the finding if it logs nothing.
    func runStep(
        _ name: String, ok: String, remedy: String, _ step: (Logger) throws -> Void
    ) {
        let before = counts.withLock(\.lines)
        let log = FindingLog(check: check(name), remedy: remedy)
        // A step that fails has logged why.
        try? step(Logger(label: name) { _ in log })
        if counts.withLock(\.lines) == before { check(name).ok(ok) }
    }

    private func add(_ state: String, _ name: String, _ texts: String...) {
        counts.withLock { counts in
            counts.lines += 1
            if state == "problem" { counts.problems += 1 }
            let column = state.padding(toLength: 8, withPad: " ", startingAt: 0)
            print(column, "\(name):", texts.map(Self.sentence).joined(separator: " "))
        }
    }

    /// On one line, with a period. The text of another program can have several lines, or a period.
    private static func sentence(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        if let end = line.last, ".?!".contains(end) { return line }
        return "\(line)."
    }
}

/// Turns what a server logs when it starts into findings.
private struct FindingLog: LogHandler {
    let check: Diagnosis.Check
    let remedy: String
    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let facts = (event.metadata ?? [:]).map { "\($0): \($1)" }.sorted()
        let text =
            "\(event.message)" + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
        switch event.level {
        case .critical, .error: check.problem(text, remedy)
        case .warning: check.warning(text, remedy)
        default: check.ok(text)
        }
    }
}
