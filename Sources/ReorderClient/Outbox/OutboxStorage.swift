import Foundation

/// Durable bytes: a file that is appended to.
package protocol OutboxStorage: Sendable {
    /// The whole content.
    func read() throws -> [UInt8]
    /// Appends bytes: all of them, or none if it throws. From then on they survive the end of the
    /// process. Once `sync` has returned, they also survive a power cut.
    func append(_ bytes: [UInt8]) throws
    /// Truncates the content to its first `count` bytes.
    func cut(to count: Int) throws
    /// Replaces the content, atomically and durably.
    func replace(with bytes: [UInt8]) throws
    /// Returns when all appended bytes are on the disk.
    func sync() throws
    /// Releases the file. Only `close` may be called afterwards.
    func close()
}

/// A file in a folder of the app.
final class OutboxFile: OutboxStorage {
    /// An error code of the operating system.
    struct Failure: Error, Equatable {
        var code: Int32
    }

    private struct OpenFile {
        var descriptor: Int32
        var length: Int
    }

    private let path: String
    private let file: Lock<OpenFile>

    /// Opens or creates the file and locks it: two clients with one file would each send its
    /// operations.
    init(_ url: URL) throws {
        path = url.path(percentEncoded: false)
        let descriptor = try Self.open(path, O_RDWR | O_CREAT | O_CLOEXEC)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            Self.close(descriptor)
            throw Failure(code: code)
        }
        file = Lock(OpenFile(descriptor: descriptor, length: Int(lseek(descriptor, 0, SEEK_END))))
    }

    deinit { close() }

    func close() {
        file.withLock { file in
            guard file.descriptor >= 0 else { return }
            // Unlocks explicitly, because a sync in progress has a copy of the descriptor, which
            // keeps the lock.
            flock(file.descriptor, LOCK_UN)
            Self.close(file.descriptor)
            file.descriptor = -1
        }
    }

    func read() throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path))) }

    func append(_ bytes: [UInt8]) throws {
        try file.withLock { file in
            do {
                try Self.write(bytes, to: file.descriptor, at: file.length)
            } catch {
                // An incomplete record would hide the records after it.
                ftruncate(file.descriptor, off_t(file.length))
                throw error
            }
            file.length += bytes.count
        }
    }

    func cut(to count: Int) throws {
        try file.withLock { file in
            guard ftruncate(file.descriptor, off_t(count)) == 0 else { throw Failure(code: errno) }
            file.length = count
        }
    }

    func replace(with bytes: [UInt8]) throws {
        try file.withLock { file in
            let temporary = path + ".new"
            let descriptor = try Self.open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC)
            do {
                try Self.write(bytes, to: descriptor, at: 0)
                guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fsync(descriptor) == 0,
                    rename(temporary, path) == 0
                else { throw Failure(code: errno) }
            } catch {
                Self.close(descriptor)
                throw error
            }
            Self.close(file.descriptor)
            file = OpenFile(descriptor: descriptor, length: bytes.count)
            try Self.syncFolder(of: path)
        }
    }

    func sync() throws {
        // Outside the lock, so that appending does not wait for a slow disk.
        let copy = try file.withLock { file in
            let copy = dup(file.descriptor)
            guard copy >= 0 else { throw Failure(code: errno) }
            return copy
        }
        defer { Self.close(copy) }
        guard fsync(copy) == 0 else { throw Failure(code: errno) }
    }

    private static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            _ = Darwin.close(descriptor)
        #else
            _ = Glibc.close(descriptor)
        #endif
    }

    private static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        #if canImport(Darwin)
            let descriptor = Darwin.open(path, flags, 0o600)
        #else
            let descriptor = Glibc.open(path, flags, 0o600)
        #endif
        guard descriptor >= 0 else { throw Failure(code: errno) }
        return descriptor
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws {
        try bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = pwrite(
                    descriptor, rest.baseAddress, rest.count, off_t(offset + written))
                guard count > 0 else {
                    if count < 0, errno == EINTR { continue }
                    throw Failure(code: errno)
                }
                written += count
            }
        }
    }

    /// Makes the rename durable too.
    private static func syncFolder(of path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let descriptor = try open(folder, O_RDONLY | O_CLOEXEC)
        defer { Self.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure(code: errno) }
    }
}
