import Foundation
import Logging
import ReorderAuth

/// A file with tokens or keys, as given by `--tokens` or `--jwks`.
struct AccessFile: Sendable {
    enum Kind: Sendable {
        case tokens, keys
    }

    let path: String
    let kind: Kind
    let logger: Logger

    /// What the file has, and what an administrator should correct.
    struct Content {
        var tokens: TokenTable?
        var keys: JSONWebKeys?
        var warnings: [String] = []
    }

    /// Reads the file and puts its content into effect.
    ///
    /// - Throws: the reason if the file can't be used. Then its previous content stays in effect.
    func read(into control: AccessControl) throws {
        let content = try read()
        if let table = content.tokens {
            control.use(table)
            logger.info("read \(path)", metadata: ["tokens": "\(table.count)"])
        }
        if let keys = content.keys {
            control.use(keys)
            logger.info(
                "read \(path)",
                metadata: ["keys": "\(keys.count)", "skipped": "\(keys.skippedCount)"])
        }
        for warning in content.warnings { logger.warning("\(warning)") }
    }

    func read() throws -> Content {
        let (data, mode) = try contents()
        var content = Content()
        if mode & (S_IWGRP | S_IWOTH) != 0 {
            content.warnings.append(
                "users other than the owner of \(path) can write to it, and so grant themselves access"
            )
        }
        switch kind {
        case .tokens:
            guard let text = String(data: data, encoding: .utf8) else {
                throw ReadError(description: "it is not UTF-8")
            }
            let table = try TokenTable(text)
            content.tokens = table
            if table.count == 0 { content.warnings.append("\(path) contains no tokens") }
        case .keys:
            let keys = try JSONWebKeys(json: data)
            content.keys = keys
            if keys.hasSecrets, mode & S_IROTH != 0 {
                content.warnings.append(
                    "every user can read \(path), and can sign tokens with its secrets")
            }
        }
        return content
    }

    private func contents() throws -> (Data, mode_t) {
        // `O_NONBLOCK`, because opening a named pipe without a writer would block all later
        // reloads.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            throw ReadError(description: String(cString: strerror(errno)))
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ReadError(description: "it is not a regular file")
        }
        return (try file.readToEnd() ?? Data(), status.st_mode)
    }

    private struct ReadError: Error, CustomStringConvertible {
        let description: String
    }
}
