import Foundation
import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderJSON

/// Written times are read again, and so are those of other programs.
@Suite struct TimestampTests {
    private func written(_ milliseconds: Int64) -> String {
        var writer = JSONWriter()
        writer.time(milliseconds: milliseconds)
        return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    @Test(arguments: [
        0, 1, 999, -1, 1_795_257_085_042, -62_167_219_200_000, 253_402_300_799_999,
        951_782_399_999, 951_782_400_000, -2_203_891_200_000, -30_173_000_000_000,
    ])
    func writtenTimesAreReadUnchanged(milliseconds: Int64) throws {
        let date = try #require(Date(timestamp: written(milliseconds)))
        #expect(Int64((date.timeIntervalSince1970 * 1_000).rounded()) == milliseconds)
    }

    @Test func millisecondsMayBeOmitted() {
        #expect(
            Date(timestamp: "2026-11-21T10:31:25Z") == Date(timestamp: "2026-11-21T10:31:25.000Z"))
    }

    @Test func daysOfFourCenturiesAreReadLikeFoundations() throws {
        for day in stride(from: Int64(-25_000), to: 125_000, by: 13) {
            let milliseconds = day * 86_400_000 + 12_345_678
            let date = try #require(Date(timestamp: written(milliseconds)))
            #expect(Int64((date.timeIntervalSince1970 * 1_000).rounded()) == milliseconds)
        }
        for text in [
            "2026-11-21T10:31:25.042Z", "1970-01-01T00:00:00.000Z", "2000-02-29T23:59:59.999Z",
        ] {
            let date = try #require(Date(timestamp: text))
            let other = try Date(text, strategy: ChangeDocument.timestamp)
            #expect(abs(date.timeIntervalSince(other)) < 0.000_1, "\(text)")
        }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00.5Z", 500), ("1970-01-01T00:00:00.0019999Z", 1),
        ("1970-01-01t00:00:01z", 1_000), ("1970-01-01T01:30:00+01:30", 0),
        ("1969-12-31T23:00:00.25-01:00", 250), ("1969-12-31T23:59:60Z", 0),
        ("1970-01-01T00:00:00-00:00", 0), ("0000-01-01T00:00:00Z", -62_167_219_200_000),
        ("9999-12-31T23:59:59.9999Z", 253_402_300_799_999),
    ])
    func allFormsOfRFC3339AreRead(text: String, milliseconds: Int64) {
        #expect(Timestamp.parse(text) == milliseconds)
    }

    @Test(arguments: [
        "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2026-11-21T10:31:25+24:00",
        "2026-11-21T10:31:25+01:60", "2026-11-21T10:31:25+0100", "2026-11-21T10:31:25+01",
        "2026-11-21T10:31:25+01:00Z", "2026-11-21T10:31:25ZZ", "2026-11-21T10:31:25.Z",
        "", "2026-11-21", "2026-11-21T10:31:25", "2026-11-21T10:31:25.042",
        "2026-13-21T10:31:25.042Z",
        "2026-02-29T10:31:25.042Z", "1900-02-29T10:31:25.042Z", "2026-04-31T10:31:25.042Z",
        "2026-00-01T10:31:25.042Z", "2026-01-00T10:31:25.042Z", "2026-11-21T24:31:25.042Z",
        "2026-11-21T10:60:25.042Z", "2026-11-21T10:31:61.042Z", "2026-11-21 10:31:25.042Z",
        "+026-11-21T10:31:25.042Z", "2026-11-21T10:31:25,042Z",
    ])
    func otherTextsAreRefused(text: String) {
        #expect(Date(timestamp: text) == nil)
    }
}
