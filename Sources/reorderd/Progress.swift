import Foundation

/// Standard error, by whole lines.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    static func line(_ text: String) { write("\(Progress.clearing)\(text)\n") }

    static func write(_ text: String) {
        // Where nobody can be told, nobody is.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

/// A line on the terminal that tells how far long work has come; nothing where there is none.
struct Progress {
    /// What takes back the line, so that another can be written.
    static var clearing: String { StandardError.isTerminal ? "\r\u{1B}[K" : "" }

    private let isShown = StandardError.isTerminal
    private var next = ContinuousClock.now + .milliseconds(500)

    /// Tells it, a few times a second at most and only of work that has taken a while.
    mutating func tell(_ text: @autoclosure () -> String) {
        guard isShown, ContinuousClock.now >= next else { return }
        next = ContinuousClock.now + .milliseconds(200)
        StandardError.write("\(Self.clearing)\(text())")
    }

    func end() {
        if isShown { StandardError.write(Self.clearing) }
    }
}
