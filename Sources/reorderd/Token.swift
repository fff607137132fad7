import ArgumentParser
import Foundation
import ReorderAccess

struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make tokens, by which a server knows its clients.",
        subcommands: [New.self])

    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a token, and the line by which `serve --tokens FILE` knows it.",
            discussion: """
                The token is printed to standard output, once: only its SHA-256 is kept. With --file \
                the line is added to the file, which is made where there is none, readable by its \
                owner only; without, it is printed after the token. A server that runs reads the file \
                again on SIGHUP.

                Exit codes: 0; 64 for wrong arguments; 73 where the file can't be written.
                """)

        @Option(help: "Who has the token; no secret. Tokens of the same name are the same client.")
        var name: String

        @Option(help: "What it may do: read, write or admin; each has those before it.")
        var scope: AccessScope

        @Option(
            help: """
                A list's id, or the beginning of one with * behind it: the token is for these lists \
                only; may be given several times.
                """)
        var lists: [String] = []

        @Option(help: "The file that the line is added to.")
        var file: String?

        func run() throws {
            let token = NewToken()
            let line: TokenLine
            do {
                line = try TokenLine(
                    name: name, digest: token.digest, scope: scope, patterns: lists)
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

        /// Adds a line with one write, so that nobody reads half of it.
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

    package static var allValueStrings: [String] { ["read", "write", "admin"] }
}
