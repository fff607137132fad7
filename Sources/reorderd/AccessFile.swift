import Foundation
import Logging
import ReorderAccess

/// A file that says who may do what.
struct AccessFile: Sendable {
    enum Kind: Sendable {
        case tokens, keys
    }

    let path: String
    let kind: Kind
    let logger: Logger

    /// Has it count from now on.
    ///
    /// - Throws: why it can't be used; what was read before holds then.
    func read(into control: AccessControl) throws {
        let (data, mode) = try contents()
        if mode & (S_IWGRP | S_IWOTH) != 0 {
            logger.warning("others than its owner can write \(path), and let themselves in")
        }
        switch kind {
        case .tokens:
            guard let text = String(data: data, encoding: .utf8) else {
                throw Fault(description: "it is not UTF-8")
            }
            let table = try TokenTable(text)
            control.use(table)
            logger.info("\(path) is read", metadata: ["tokens": "\(table.count)"])
            if table.count == 0 { logger.warning("\(path) has no token") }
        case .keys:
            let keys = try JSONWebKeys(json: data)
            if keys.hasSecrets, mode & S_IROTH != 0 {
                logger.warning("everyone can read \(path), and sign tokens with its secrets")
            }
            control.use(keys)
            logger.info(
                "\(path) is read",
                metadata: ["keys": "\(keys.count)", "skipped": "\(keys.skippedCount)"])
        }
    }

    private func contents() throws -> (Data, mode_t) {
        // Not to wait for whoever writes to a pipe: nothing would be read again after that.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            throw Fault(description: String(cString: strerror(errno)))
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Fault(description: "it is no regular file")
        }
        return (try file.readToEnd() ?? Data(), status.st_mode)
    }

    private struct Fault: Error, CustomStringConvertible {
        let description: String
    }
}
