import ArgumentParser
import Foundation
import ReorderAuth

struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create tokens that authenticate clients.",
        subcommands: [New.self])

    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a token, and its line for `serve --tokens FILE`.",
            discussion: """
                Prints the token to standard output. It can't be shown again, because the line has \
                only its SHA-256. With --file, the line is appended to the file; a new file is \
                readable by its owner only. Without --file, the line is printed after the token. A \
                running server reads the file again on SIGHUP.

                Exit codes: 0; 64 for wrong arguments; 73 if the file can't be written.
                """)

        @Option(
            help:
                "The client's name. It is not secret. Tokens with the same name identify the same client."
        )
        var name: String

        @Option(
            help: """
                The access: metrics (only /metrics), read, write (includes read), purge (includes write), \
                or admin (includes all).
                """)
        var scope: AccessScope?

        @Option(
            help: """
                Restrict the token to a list's id, or to all ids with a prefix (PREFIX*); may be \
                repeated.
                """)
        var lists: [String] = []

        @Option(
            help: ArgumentHelp(
                """
                Instead of --scope and --lists: a scope for some lists, such as write:family-*,menu, or \
                for all lists, such as read; may be repeated. A list's scope is the highest that is \
                granted for it.
                """, valueName: "scope[:lists]"))
        var grant: [GrantForm] = []

        @Option(help: "The file to append the line to.")
        var file: String?

        func run() throws {
            let token = NewToken()
            let grants = try grants()
            let line: TokenLine
            do {
                line = try TokenLine(name: name, digest: token.digest, grants: grants)
            } catch {
                throw ValidationError(error.reason)
            }
            if let file {
                guard append(line.json, to: file) else {
                    throw failure(
                        "\(file) can't be written: \(String(cString: strerror(errno)))",
                        EX_CANTCREAT)
                }
                print(token.text)
            } else {
                print(token.text)
                print(line.json)
            }
        }

        private func grants() throws(ValidationError) -> [GrantForm] {
            switch (scope, grant.isEmpty) {
            case (let scope?, true): return [GrantForm(scope, lists.isEmpty ? nil : lists)]
            case (nil, false) where lists.isEmpty: return grant
            case (nil, true):
                throw ValidationError("Missing expected argument '--scope' or '--grant'")
            default: throw ValidationError("--grant can't be combined with --scope or --lists")
            }
        }

        /// Appends a line with one write, so that readers never see a part of it.
        private func append(_ line: String, to path: String) -> Bool {
            let file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { return false }
            defer { close(file) }
            var last = UInt8(ascii: "\n")
            let end = lseek(file, 0, SEEK_END)
            if end > 0 { guard pread(file, &last, 1, end - 1) == 1 else { return false } }
            let isOpen = last != UInt8(ascii: "\n")
            let bytes = Array("\(isOpen ? "\n" : "")\(line)\n".utf8)
            return write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        }
    }
}

extension AccessScope: ExpressibleByArgument {
    package init?(argument: String) { self.init(name: argument) }

    package static var allValueStrings: [String] {
        allCases.dropFirst().map(\.name)
    }
}

extension GrantForm: ExpressibleByArgument {
    /// Parses `SCOPE` and `SCOPE:PATTERN,PATTERN…`.
    package init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let scope = AccessScope(name: parts[0]) else { return nil }
        let patterns = parts.dropFirst().first?.split(
            separator: ",", omittingEmptySubsequences: false)
        self.init(scope, patterns?.map(String.init))
    }
}
