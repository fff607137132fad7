import Foundation

extension Date {
    /// Parses a time in RFC 3339 format; see `Timestamp.parse`. Other formats give nil.
    init?(timestamp: String) {
        guard let milliseconds = Timestamp.parse(timestamp) else { return nil }
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    /// Milliseconds since 1970, rounded down. A small number is added first, because `Date` is not
    /// exact.
    package var milliseconds: Int64 {
        Int64((timeIntervalSince1970 * 1_000 + 0.0005).rounded(.down))
    }
}

/// Times in RFC 3339 format.
package enum Timestamp {
    /// Parses a time of the years 0 to 9999, with any offset from UTC and any number of decimals of
    /// the second. Returns milliseconds since 1970, rounded down, or nil if the text has another
    /// format. Foundation is not used because it reads years before 1583 in another calendar, and
    /// is slow for a value that every task and every change has.
    package static func parse(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { parse($0) }
    }

    private static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard text.count >= 20, text[4] == ASCII.minus, text[7] == ASCII.minus,
            text[10] | 0x20 == UInt8(ascii: "t"), text[13] == ASCII.colon,
            text[16] == ASCII.colon,
            let year = number(text, 0..<4, in: 0...9_999),
            let month = number(text, 5..<7, in: 1...12),
            let day = number(text, 8..<10, in: 1...days(in: month, of: year)),
            let hour = number(text, 11..<13, in: 0...23),
            let minute = number(text, 14..<16, in: 0...59),
            // 60 is a leap second, which is counted as the next second.
            let second = number(text, 17..<19, in: 0...60)
        else { return nil }
        var place = 19
        var rest = 0
        if text[place] == ASCII.dot {
            place += 1
            let first = place
            while place < text.count, ASCII.isDigit(text[place]) {
                if place < first + 3 { rest = rest * 10 + Int(text[place] - ASCII.zero) }
                place += 1
            }
            guard place > first else { return nil }
            for _ in place..<max(place, first + 3) { rest *= 10 }
        }
        guard let offset = offsetMinutes(text, from: place) else { return nil }
        let daysSince1970 = daysSince1970(year: year, month: month, day: day)
        let minutes = (daysSince1970 * 24 + hour) * 60 + minute - offset
        let milliseconds = Int64((minutes * 60 + second) * 1_000 + rest)
        return representableTimes.contains(milliseconds) ? milliseconds : nil
    }

    /// The offset from UTC, which is the rest of the text: `Z`, or a sign with hours and minutes.
    private static func offsetMinutes(
        _ text: UnsafeBufferPointer<UInt8>, from place: Int
    ) -> Int? {
        guard place < text.count else { return nil }
        if text[place] | 0x20 == UInt8(ascii: "z") { return place + 1 == text.count ? 0 : nil }
        let isWest = text[place] == ASCII.minus
        guard isWest || text[place] == ASCII.plus, text.count == place + 6,
            text[place + 3] == ASCII.colon,
            let hours = number(text, place + 1..<place + 3, in: 0...23),
            let minutes = number(text, place + 4..<place + 6, in: 0...59)
        else { return nil }
        return isWest ? -(hours * 60 + minutes) : hours * 60 + minutes
    }

    private static func number(
        _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, in bounds: ClosedRange<Int>
    ) -> Int? {
        var number = 0
        for digit in text[range] {
            guard ASCII.isDigit(digit) else { return nil }
            number = number * 10 + Int(digit - ASCII.zero)
        }
        return bounds.contains(number) ? number : nil
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Counted from the first of March of the year 0, in the Gregorian calendar, as in
    /// `JSONWriter`.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        // January and February belong to the previous year; adding 400 keeps all numbers positive.
        let year = (month <= 2 ? year - 1 : year) + 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = year % 400 * 365 + year % 400 / 4 - year % 400 / 100 + dayOfYear
        return (year / 400 - 1) * 146_097 + dayOfEra - 719_468
    }
}

extension JSONReader {
    /// Reads a time as milliseconds since 1970, rounded down; null means unknown.
    package mutating func readTimeOrNull() throws(JSONTypeError) -> Int64? {
        if readNull() { return nil }
        guard let time = Timestamp.parse(try readString()) else {
            throw invalid(
                "The time must be in RFC 3339 format, such as \"2026-11-21T10:31:25Z\".")
        }
        return time
    }
}
