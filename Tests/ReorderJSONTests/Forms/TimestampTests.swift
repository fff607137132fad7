import Foundation
import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderJSON

/// Written times are read again.
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
        "", "2026-11-21", "2026-11-21T10:31:25", "2026-11-21T10:31:25.Z", "2026-11-21T10:31:25.42Z",
        "2026-11-21T10:31:25.042",
        "2026-13-21T10:31:25.042Z",
        "2026-02-29T10:31:25.042Z", "1900-02-29T10:31:25.042Z", "2026-04-31T10:31:25.042Z",
        "2026-00-01T10:31:25.042Z", "2026-01-00T10:31:25.042Z", "2026-11-21T24:31:25.042Z",
        "2026-11-21T10:60:25.042Z", "2026-11-21T10:31:60.042Z", "2026-11-21 10:31:25.042Z",
        "+026-11-21T10:31:25.042Z", "2026-11-21T10:31:25,042Z", "2026-11-21T10:31:25.042z",
    ])
    func otherTextsAreRefused(text: String) {
        #expect(Date(timestamp: text) == nil)
    }
}
