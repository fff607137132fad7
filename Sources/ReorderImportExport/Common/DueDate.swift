import Foundation

/// Dates of other programs' files, as `due` in a task's `data`: `2026-11-30`, or with a time as in
/// RFC 3339. A time without a time zone stays without one.
enum DueDate {
    /// The date of a text; nil if it has another form, or one whose parts are not certain.
    ///
    /// Accepts `2026-11-30`, `20261130` and `30.11.2026`, with or without a time after `T` or a
    /// space, and a time zone as `Z`, `+01:00` or `+0100`.
    static func parse(_ text: String) -> String? {
        var rest = Substring(text.trimmed)
        guard let date = takeDate(&rest) else { return nil }
        guard let separator = rest.popFirst() else { return date }
        guard separator == "T" || separator == " ", let hour = take(2, &rest, in: 0...23)
        else { return nil }
        if rest.first == ":" { rest.removeFirst() }
        guard let minute = take(2, &rest, in: 0...59) else { return nil }
        var second = "00"
        if rest.first == ":" || rest.first?.isNumber == true {
            if rest.first == ":" { rest.removeFirst() }
            guard let some = take(2, &rest, in: 0...60) else { return nil }
            second = some
        }
        if rest.first == "." {
            rest = rest.dropFirst().drop { $0.isNumber }
        }
        let zone: String
        switch rest {
        case "": zone = ""
        case "Z", "+0000", "+00:00": zone = "Z"
        default:
            guard let sign = rest.popFirst(), sign == "+" || sign == "-",
                let hours = take(2, &rest, in: 0...23)
            else { return nil }
            if rest.first == ":" { rest.removeFirst() }
            guard let minutes = take(2, &rest, in: 0...59), rest.isEmpty else { return nil }
            zone = "\(sign)\(hours):\(minutes)"
        }
        return "\(date)T\(hour):\(minute):\(second)\(zone)"
    }

    private static func takeDate(_ rest: inout Substring) -> String? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }.count
        let (year, month, day): (String?, String?, String?)
        if digits <= 2 {
            day = take(digits, &rest, in: 1...31)
            guard rest.popFirst() == "." else { return nil }
            month = take(rest.prefix { $0.isNumber }.count, &rest, in: 1...12)
            guard rest.popFirst() == "." else { return nil }
            year = take(4, &rest, in: 1...9999)
        } else {
            year = take(4, &rest, in: 1...9999)
            let isSeparated = rest.first == "-"
            if isSeparated { rest.removeFirst() }
            month = take(2, &rest, in: 1...12)
            if isSeparated, rest.popFirst() != "-" { return nil }
            day = take(2, &rest, in: 1...31)
        }
        guard let year, let month, let day, day <= lastDay(of: month, year) else { return nil }
        return "\(year)-\(month)-\(day)"
    }

    private static func lastDay(of month: String, _ year: String) -> String {
        switch month {
        case "04", "06", "09", "11": "30"
        case "02":
            Int(year).map { $0 % 4 == 0 && ($0 % 100 != 0 || $0 % 400 == 0) } == true ? "29" : "28"
        default: "31"
        }
    }

    /// Takes digits that are a number of the range, as text of at least two digits.
    private static func take(
        _ count: Int, _ rest: inout Substring, in range: ClosedRange<Int>
    ) -> String? {
        let digits = rest.prefix(count)
        guard count > 0, digits.utf8.count == count, digits.utf8.allSatisfy(Byte.isDigit),
            let number = Int(digits), range.contains(number)
        else { return nil }
        rest = rest.dropFirst(count)
        return count == 1 ? "0\(digits)" : String(digits)
    }

    /// The day of a time in a time zone; nil if one of them is unknown. For programs that write a
    /// day as its midnight there.
    static func day(of time: String, in zone: String) -> String? {
        guard let zone = TimeZone(identifier: zone.isEmpty ? "UTC" : zone),
            let date = try? Date(time, strategy: .iso8601)
        else { return nil }
        var style = Date.ISO8601FormatStyle(timeZone: zone)
        style = style.year().month().day()
        return date.formatted(style)
    }

    /// A time without a time zone, with the offset of one.
    static func time(_ text: String, in zone: TimeZone) -> String {
        let local = Date.ISO8601FormatStyle(timeZone: zone).year().month().day()
            .time(includingFractionalSeconds: false)
        guard let date = try? Date(text, strategy: local) else { return text }
        return date.formatted(local.timeZone(separator: .colon))
    }
}
