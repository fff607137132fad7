import FuzzTargets
import Foundation
import Testing

/// What fuzzers found worth keeping, once more: `Fuzzing/Corpus` has a folder for each target.
@Suite struct CorpusTests {
    private static let corpus = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../Fuzzing/Corpus")

    @Test(arguments: FuzzTarget.allCases)
    func whatIsKeptHolds(target: FuzzTarget) throws {
        let folder = Self.corpus.appending(path: target.rawValue)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files.count > 5)
        for file in files {
            let bytes = try Data(contentsOf: folder.appending(path: file))
            #expect(target.fault(in: Array(bytes)) == nil, "\(target.rawValue)/\(file)")
        }
    }
}
