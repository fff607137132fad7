import Foundation
import Testing

/// The file that other clients test their steps with.
@Suite struct MoveVectorTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures/moves.json").standardized

    @Test func theFileHasTheResultsOfTheEngine() throws {
        let vectors = try MoveVectors.json()
        if ProcessInfo.processInfo.environment["REORDERD_WRITE_FIXTURES"] != nil {
            try Data(vectors.utf8).write(to: Self.file)
        }
        let written = String(decoding: try Data(contentsOf: Self.file), as: UTF8.self)
        #expect(
            written == vectors,
            "The rules have changed. Write the file with REORDERD_WRITE_FIXTURES=1.")
        #expect(vectors.utf8.count < 300_000)
    }
}
