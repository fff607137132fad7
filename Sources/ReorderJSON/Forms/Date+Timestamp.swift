import Foundation

extension Date {
    /// Parses a time in the format of `JSONWriter.time(milliseconds:)`, with or without
    /// milliseconds. Other formats give nil. Foundation is not used because it reads years before
    /// 1583 in another calendar, and is slow for a value that every change has.
    init?(timestamp: String) {
        let text = Array(timestamp.utf8)
        guard text.count == 24 || text.count == 20, text.last == UInt8(ascii: "Z") else {
            return nil
        }
        let separators = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, ".")]
        for (place, separator) in separators.prefix(text.count == 24 ? 6 : 5) {
            guard text[place] == separator.utf8.first else { return nil }
        }
        func number(_ range: Range<Int>, in bounds: ClosedRange<Int>) -> Int? {
            var number = 0
            for digit in text[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                number = number * 10 + Int(digit - UInt8(ascii: "0"))
            }
            return bounds.contains(number) ? number : nil
        }
        guard let year = number(0..<4, in: 0...9_999), let month = number(5..<7, in: 1...12),
            let day = number(8..<10, in: 1...Self.days(in: month, of: year)),
            let hour = number(11..<13, in: 0...23), let minute = number(14..<16, in: 0...59),
            let second = number(17..<19, in: 0...59),
            let rest = text.count == 24 ? number(20..<23, in: 0...999) : 0
        else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        let milliseconds = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000 + rest
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
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
