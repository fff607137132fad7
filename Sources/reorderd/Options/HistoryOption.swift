import ArgumentParser
import ReorderService

/// A value of `--history`: `30d`, `10000`, or `30d,10000`.
struct HistoryOption: ExpressibleByArgument, Equatable {
    let history: HistoryRetention

    init(_ history: HistoryRetention) {
        self.history = history
    }

    /// Each part may occur once and is at least 1.
    init?(argument: String) {
        var history = HistoryRetention(days: nil, changes: nil)
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let isDays = part.hasSuffix("d")
            let digits = isDays ? part.dropLast() : part
            guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(digits), (1...Self.most).contains(number)
            else { return nil }
            if isDays, history.days == nil {
                history.days = number
            } else if !isDays, history.changes == nil {
                history.changes = number
            } else {
                return nil
            }
        }
        self.history = history
    }

    /// The maximum value of each part.
    private static let most = 1_000_000_000

    var defaultValueDescription: String {
        [history.days.map { "\($0)d" }, history.changes.map { "\($0)" }]
            .compactMap(\.self).joined(separator: ",")
    }
}
