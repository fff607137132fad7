import Foundation
import Testing

/// Runs the program `simulate`. It is a process of its own, because the order of dictionaries and
/// sets is part of what a seed determines, and only a process's environment can fix it.
@Suite struct SeedTests {
    private struct Output {
        var status: Int32
        var text: String
    }

    private func simulate(_ arguments: String...) throws -> Output {
        let process = Process()
        // The build puts the executable beside the tests.
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(filePath: tests).deletingLastPathComponent()
            .appending(path: "simulate")
        process.arguments = arguments
        // The program exits while its objects exist. The leak check would report the side tables of
        // their weak references: see scripts/leak-suppressions.txt.
        process.environment = [
            "SWIFT_DETERMINISTIC_HASHING": "1", "ASAN_OPTIONS": "detect_leaks=0",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Output(
            status: process.terminationStatus, text: String(decoding: bytes, as: UTF8.self))
    }

    /// Scenarios that found a defect, which is corrected now, and one scenario of each kind.
    @Test func theKeptScenariosHold() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Simulation/Seeds/scenarios.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let scenarios = lines.filter { !$0.hasPrefix("#") }
        #expect(scenarios.count > 5)
        for scenario in scenarios {
            let output = try simulate("--scenario", String(scenario), "--no-shrink")
            #expect(output.status == 0, "\(scenario)\n\(output.text)")
        }
    }

    @Test func someSeedsHold() throws {
        let output = try simulate("--seed", "1", "--count", "24", "--steps", "1500")
        #expect(output.status == 0, "\(output.text)")
    }

    @Test func theSameSeedGivesTheSameStory() throws {
        func story(_ seed: String) throws -> Output {
            try simulate("--seed", seed, "--steps", "1500", "--story", "100000", "--digest")
        }
        let first = try story("3")
        #expect(first.text.contains("digest="))
        #expect(try story("3").text == first.text)
        #expect(try story("4").text != first.text)
    }
}
