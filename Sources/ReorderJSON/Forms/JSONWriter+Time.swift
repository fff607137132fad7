extension JSONWriter {
    /// Writes a time in RFC 3339 format, in UTC with milliseconds: `"2026-11-21T10:31:25.042Z"`.
    ///
    /// Foundation's formatting costs more than the rest of a task or of a small change.
    ///
    /// - Parameter milliseconds: since 1970; a time outside the years 0 to 9999 is replaced by the
    ///   nearest one inside.
    package mutating func time(milliseconds: Int64) {
        compose(atMost: 26) { end in end.write(time: milliseconds) }
    }

    /// The maximum number of bytes of a member whose value is a time.
    static let timeMemberBytes = 42
}

/// The times that RFC 3339 can represent, in milliseconds since 1970: the years 0 to 9999.
let representableTimes: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

/// The numbers 00 to 99.
private let digitPairs: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839\
    40414243444546474849505152535455565758596061626364656667686970717273747576777879\
    8081828384858687888990919293949596979899
    """

extension UnsafeMutablePointer<UInt8> {
    /// Writes a name, and a time as its value.
    @inline(__always)
    mutating func write(_ name: StaticString, time: Int64) {
        write(name)
        write(time: time)
    }

    /// Writes a time in quotes, 26 bytes, and advances.
    @inline(never)
    mutating func write(time milliseconds: Int64) {
        let bounded = Swift.min(
            Swift.max(milliseconds, representableTimes.lowerBound), representableTimes.upperBound)
        let (day, time) = bounded.dividedRoundingDown(by: 86_400_000)
        let (year, month, dayOfMonth) = Self.date(daysSince1970: Int(day))
        let (seconds, rest) = Int(time).quotientAndRemainder(dividingBy: 1_000)
        // The pointer is advanced once, at the end: each write through it would store it again.
        let text = self
        let pairs = UnsafeRawPointer(digitPairs.utf8Start)
        func write(_ value: Int, at place: Int, then separator: UInt8) {
            let pair = pairs.loadUnaligned(fromByteOffset: 2 &* value, as: UInt16.self)
            UnsafeMutableRawPointer(text).storeBytes(of: pair, toByteOffset: place, as: UInt16.self)
            text[place &+ 2] = separator
        }
        text[0] = ASCII.quote
        write(year / 100, at: 1, then: 0)
        write(year % 100, at: 3, then: ASCII.minus)
        write(month, at: 6, then: ASCII.minus)
        write(dayOfMonth, at: 9, then: UInt8(ascii: "T"))
        write(seconds / 3_600, at: 12, then: ASCII.colon)
        write(seconds / 60 % 60, at: 15, then: ASCII.colon)
        write(seconds % 60, at: 18, then: ASCII.dot)
        write(rest / 10, at: 21, then: ASCII.zero &+ UInt8(truncatingIfNeeded: rest % 10))
        text[24] = UInt8(ascii: "Z")
        text[25] = ASCII.quote
        self += 26
    }

    /// The date in the Gregorian calendar, computed with periods of 400 years (146,097 days) from
    /// the first of March of the year 0, so that a leap day is the last day of its year.
    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (days + 719_468).dividedRoundingDown(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }
}

extension FixedWidthInteger {
    /// The quotient rounded down and the nonnegative remainder, for a positive divisor.
    fileprivate func dividedRoundingDown(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
