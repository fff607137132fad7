extension JSONWriter {
    /// Writes a time in RFC 3339 format, in UTC with milliseconds: `"2026-11-21T10:31:25.042Z"`.
    ///
    /// Each change has a time, and Foundation's formatting costs more than the rest of a small
    /// change.
    ///
    /// - Parameter milliseconds: since 1970; a time outside the years 0 to 9999 is replaced by the
    ///   nearest one inside.
    package mutating func time(milliseconds: Int64) {
        let bounded = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let (day, time) = bounded.dividedRoundingDown(by: 86_400_000)
        let (year, month, dayOfMonth) = Self.date(daysSince1970: Int(day))
        compose(atMost: 26) { end in
            func add(_ value: Int, digits: Int, then separator: UInt8) {
                var rest = value
                for place in stride(from: digits - 1, through: 0, by: -1) {
                    end[place] = ASCII.zero + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
                end[digits] = separator
                end += digits + 1
            }
            end.write(ASCII.quote)
            add(year, digits: 4, then: ASCII.minus)
            add(month, digits: 2, then: ASCII.minus)
            add(dayOfMonth, digits: 2, then: UInt8(ascii: "T"))
            add(Int(time / 3_600_000), digits: 2, then: ASCII.colon)
            add(Int(time / 60_000 % 60), digits: 2, then: ASCII.colon)
            add(Int(time / 1_000 % 60), digits: 2, then: ASCII.dot)
            add(Int(time % 1_000), digits: 3, then: UInt8(ascii: "Z"))
            end.write(ASCII.quote)
        }
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
