import Foundation
import ProcessTesting
import ReorderAuth
import Testing

/// `reorderd token new`.
@Suite struct TokenCommandTests {
    private func new(_ arguments: String...) throws -> ServerProcess.Ended {
        try ServerProcess.run(["token", "new"] + arguments)
    }

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    private func access(_ token: String, _ file: String) throws -> TokenAccess {
        try AccessControl(tokens: TokenTable(file)).access(for: ["Bearer \(token)"]).get()
    }

    @Test func theTokenAndItsFileLineArePrinted() throws {
        let end = try new("--name", "phone", "--scope", "write", "--lists", "a*", "--lists", "b")
        #expect(end.exitCode == 0)
        let lines = lines(end.output)
        try #require(lines.count == 2)
        let access = try access(lines[0], lines[1])
        #expect(access.name == "phone")
        #expect(access.grants == Grants(.write, try #require(ListPatterns(["a*", "b"]))))
        #expect(!lines[1].contains(lines[0].dropFirst(4)))
    }

    @Test(arguments: [
        (["write:a-*,b", "read"], [GrantForm(.write, ["a-*", "b"]), GrantForm(.read)]),
        (["read:b", "write:a-*"], [GrantForm(.read, ["b"]), GrantForm(.write, ["a-*"])]),
        (["purge:a"], [GrantForm(.purge, ["a"])]),
        (["metrics", "read:b"], [GrantForm(.metrics), GrantForm(.read, ["b"])]),
    ])
    func aTokenCanHaveSeveralGrants(arguments: [String], grants: [GrantForm]) throws {
        let options = arguments.flatMap { ["--grant", $0] }
        let end = try ServerProcess.run(["token", "new", "--name", "phone"] + options)
        #expect(end.exitCode == 0, "\(end)")
        let lines = lines(end.output)
        try #require(lines.count == 2)
        #expect(try access(lines[0], lines[1]).grants == (try Grants(forms: grants)))
        #expect(lines[1].contains("grants") == (grants.count > 1))
    }

    @Test func theLineIsAddedToAPrivateFile() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "tokens.jsonl")
            var tokens: [String] = []
            for name in ["a", "b"] {
                let end = try new("--name", name, "--scope", "read", "--file", file.path)
                #expect(end.exitCode == 0, "\(end)")
                tokens += lines(end.output)
                #expect(lines(end.output).count == 1)
                // Editors can leave a file without a final newline. The new line must not continue
                // the last one.
                let text = try String(contentsOf: file, encoding: .utf8)
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: UInt64(text.utf8.count - 1))
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(lines(text).count == 2)
            #expect(try tokens.map { try access($0, text).name } == ["a", "b"])
            for token in tokens { #expect(!text.contains(token.dropFirst(4))) }
            let other = folder.appending(path: "other.jsonl").path
            _ = try new("--name", "a", "--scope", "read", "--file", other)
            let mode = try FileManager.default.attributesOfItem(atPath: other)[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
    }

    @Test(arguments: [
        (["--scope", "read"], "--name"), (["--name", "a"], "--scope"),
        (["--name", "a", "--scope", "none"], "--scope"),
        (["--name", "", "--scope", "read"], "1 to 64 bytes"),
        (["--name", "a", "--scope", "read", "--lists", "a*b"], "Pattern 1 is neither"),
        (["--name", "a", "--scope", "read", "--grant", "read"], "can't be combined"),
        (["--name", "a", "--lists", "b", "--grant", "read"], "can't be combined"),
        (["--name", "a", "--lists", "b"], "'--scope' or '--grant'"),
        (["--name", "a", "--grant", "a:read"], "--grant"),
        (["--name", "a", "--grant", "read:"], "Pattern 1 is neither"),
        (["--name", "a", "--grant", "read:a,"], "Pattern 2 is neither"),
        (["--name", "a", "--grant", "read:a:b"], "Pattern 1 is neither"),
        (["--name", "a", "--grant", "none"], "--grant"),
        (["--name", "a", "--grant", "read", "--grant", "write:a*b"], "Grant 2: Pattern 1"),
    ])
    func wrongArgumentsAreReportedWithExitCode64(arguments: [String], message: String) throws {
        let end = try ServerProcess.run(["token", "new"] + arguments)
        #expect(end.exitCode == 64)
        #expect(end.errors.contains(message), "\(end.errors)")
        #expect(end.output.isEmpty)
    }

    @Test func anUnwritableFileIsReportedWithExitCode73() throws {
        let end = try new("--name", "a", "--scope", "read", "--file", "/nowhere/at/all")
        #expect(end.exitCode == 73)
        #expect(end.output.isEmpty)
    }
}
