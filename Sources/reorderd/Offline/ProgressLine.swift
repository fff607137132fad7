import Foundation

/// Standard error, written in whole lines.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    static func line(_ text: String) { write("\(ProgressLine.clearing)\(text)\n") }

    static func write(_ text: String) {
        // A failed write can't be reported.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

/// A progress line on the terminal; nothing if standard error is not a terminal.
struct ProgressLine {
    /// The text that erases the progress line before another line is written.
    static var clearing: String { StandardError.isTerminal ? "\r\u{1B}[K" : "" }

    private let isShown = StandardError.isTerminal
    private var next = ContinuousClock.now + .milliseconds(500)

    /// Shows the text, at most a few times a second. Shows nothing in the first half second.
    mutating func show(_ text: @autoclosure () -> String) {
        guard isShown, ContinuousClock.now >= next else { return }
        next = ContinuousClock.now + .milliseconds(200)
        StandardError.write("\(Self.clearing)\(text())")
    }

    func end() {
        if isShown { StandardError.write(Self.clearing) }
    }
}
