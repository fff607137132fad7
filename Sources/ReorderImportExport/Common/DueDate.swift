import Foundation

/// Dates of other programs' files, as `due` in a task's `data`: `2026-11-30`, or with a time as in
/// RFC 3339. A time without a time zone stays without one.
enum DueDate {
    /// What Go writes for no time.
    static let none = "0001-01-01"

    /// The date of a text; nil if it has another form, or one whose parts are not certain.
    ///
    /// Accepts `2026-11-30`, `20261130` and `30.11.2026`, with or without a time after `T` or a
    /// space, and a time zone as `Z`, `+01:00` or `+0100`.
    static func parse(_ text: String) -> String? {
        let parts = text.trimmed.split(maxSplits: 1, omittingEmptySubsequences: false) {
            $0 == "T" || $0 == " "
        }
        guard let date = parts.first.flatMap(date) else { return nil }
        return parts.count == 1 ? date : time(parts[1]).map { "\(date)T\($0)" }
    }

    private static func date(_ text: Substring) -> String? {
        let isDayFirst = text.contains(".")
        var parts = text.split(separator: isDayFirst ? "." : "-", omittingEmptySubsequences: false)
        if isDayFirst { parts.reverse() }
        if parts.count == 1, text.utf8.count == 8 {
            parts = [text.prefix(4), text.dropFirst(4).prefix(2), text.suffix(2)]
        }
        guard parts.count == 3, parts[0].utf8.count == 4,
            parts[1...].allSatisfy({ $0.utf8.count == 2 || isDayFirst && $0.utf8.count == 1 }),
            let year = number(parts[0], in: 1...9999), let month = number(parts[1], in: 1...12),
            let day = number(parts[2], in: 1...lastDay(of: month, year))
        else { return nil }
        return String(format: "%04d-%02d-%02d", year, month, day)
    }

    private static func lastDay(of month: Int, _ year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    private static func time(_ text: Substring) -> String? {
        let start = text.firstIndex { "Z+-".contains($0) } ?? text.endIndex
        let (clock, zone) = (text[..<start].split(separator: ".", maxSplits: 1), text[start...])
        guard let time = clock.first.flatMap({ clockTime($0, isZone: false) }),
            clock.dropFirst().allSatisfy({ $0.utf8.allSatisfy(Byte.isDigit) })
        else { return nil }
        // 10:00-11:30 is a range.
        if text[..<start].utf8.count == 5, !["", "Z"].contains(zone) { return nil }
        switch zone {
        case "": return time
        case "Z", "+00:00", "+0000": return time + "Z"
        default:
            let offset = zone.first == "Z" ? nil : clockTime(zone.dropFirst(), isZone: true)
            return offset.map { "\(time)\(zone.prefix(1))\($0)" }
        }
    }

    /// `10:00:00`, or `01:00` for a time zone, of a text with or without colons.
    private static func clockTime(_ text: Substring, isZone: Bool) -> String? {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 1 {
            parts = stride(from: 0, to: text.count, by: 2).map { text.dropFirst($0).prefix(2) }
        }
        if parts.count == 2, !isZone { parts.append("00") }
        guard parts.count == (isZone ? 2 : 3), parts.allSatisfy({ $0.utf8.count == 2 }),
            zip(parts, [0...23, 0...59, 0...60]).allSatisfy({ number($0, in: $1) != nil })
        else { return nil }
        return parts.joined(separator: ":")
    }

    private static func number(_ digits: Substring, in range: ClosedRange<Int>) -> Int? {
        guard digits.utf8.allSatisfy(Byte.isDigit), let number = Int(digits) else { return nil }
        return range.contains(number) ? number : nil
    }

    /// The day of a time in a time zone; nil if one of them is unknown. For programs that write a
    /// day as its midnight there.
    static func day(of time: String, in zone: String) -> String? {
        guard let zone = TimeZone(identifier: zone.isEmpty ? "UTC" : zone),
            let date = try? Date(time, strategy: .iso8601)
        else { return nil }
        return date.formatted(Date.ISO8601FormatStyle(timeZone: zone).year().month().day())
    }

    /// The day that begins at a midnight, in whatever time zone, that is given in UTC. A day begins
    /// between 11:00 and 10:59 in UTC in the time zones from UTC+13 to UTC-10.
    static func day(ofMidnight time: String) -> String? {
        let time = time.hasSuffix("Z") ? time : time + "Z"
        guard let date = try? Date(time, strategy: .iso8601) else { return nil }
        return date.addingTimeInterval(13 * 3_600)
            .formatted(Date.ISO8601FormatStyle().year().month().day())
    }

    /// A time without a time zone, with the offset of one.
    static func time(_ text: String, in zone: TimeZone) -> String {
        let local = Date.ISO8601FormatStyle(timeZone: zone).year().month().day()
            .time(includingFractionalSeconds: false)
        guard let date = try? Date(text, strategy: local) else { return text }
        return date.formatted(local.timeZone(separator: .colon))
    }
}
