import Foundation

/// What `doctor` has found: it prints a line for each finding.
final class Diagnosis {
    private(set) var problemCount = 0

    /// The findings of one check.
    struct Check {
        fileprivate let diagnosis: Diagnosis
        fileprivate let name: String

        func ok(_ finding: String) { line("ok", finding) }

        func warning(_ finding: String, _ remedy: String) {
            line("warning", "\(finding). \(remedy)")
        }

        func problem(_ finding: String, _ remedy: String) {
            diagnosis.problemCount += 1
            line("problem", "\(finding). \(remedy)")
        }

        private func line(_ state: String, _ text: String) {
            let column = state.padding(toLength: 8, withPad: " ", startingAt: 0)
            // A text of another program can have several lines.
            print(
                column,
                "\(name): \(text.split(whereSeparator: \.isNewline).joined(separator: " ")).")
            fflush(nil)
        }
    }

    func check(_ name: String) -> Check { Check(diagnosis: self, name: name) }

    /// A number of bytes for people, such as `12 MiB`.
    static func size(_ bytes: Int) -> String {
        let (mebibytes, kibibytes) = (bytes >> 20, bytes >> 10)
        return mebibytes > 0
            ? "\(mebibytes) MiB" : kibibytes > 0 ? "\(kibibytes) KiB" : "\(bytes) bytes"
    }

    /// A day, such as `2026-11-30`, of a time in seconds since 1970.
    static func day(_ seconds: Int) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601.year().month().day())
    }
}
