import FuzzTargets
import Foundation
import Testing

/// Runs the stored inputs of the fuzzers again. `Fuzzing/Corpus` has a folder for each target.
@Suite struct CorpusTests {
    private static let corpus = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../Fuzzing/Corpus")

    @Test(arguments: FuzzTarget.allCases)
    func everyCorpusInputPasses(target: FuzzTarget) async throws {
        let folder = Self.corpus.appending(path: target.rawValue)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files.count > 5)
        for file in files {
            let bytes = try Data(contentsOf: folder.appending(path: file))
            let fault = await Self.fault(in: Array(bytes), target)
            #expect(fault == nil, "\(target.rawValue)/\(file)")
        }
        target.end()
    }

    /// Uses its own thread: a target may wait for tasks, which need the threads that run the tests.
    private static func fault(in bytes: [UInt8], _ target: FuzzTarget) async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: target.fault(in: bytes)) }
        }
    }
}
