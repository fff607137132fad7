import Foundation
import Synchronization

/// Bytes that survive: a file that grows at its end.
protocol JournalStorage: Sendable {
    /// All bytes.
    func read() throws -> [UInt8]
    /// Adds bytes at the end: all of them, or where it throws none. What was added survives the end of
    /// the process at once, and that of the machine once `sync` has returned.
    func append(_ bytes: [UInt8]) throws
    /// Cuts what is behind the first `count` bytes.
    func cut(to count: Int) throws
    /// Puts other bytes in the place of all, at once and for good.
    func replace(with bytes: [UInt8]) throws
    /// Returns once all that was added is on the disk.
    func sync() throws
    /// Lets go of what is open. No call may follow but this.
    func close()
}

/// A file in a folder of the app.
final class JournalFile: JournalStorage {
    /// Why a file can't be used, as the operating system says it.
    struct Failure: Error, Equatable {
        var code: Int32
    }

    private struct Open {
        var descriptor: Int32
        var length: Int
    }

    private let path: String
    private let file: Mutex<Open>

    /// Opens the file, or makes an empty one, and locks it: two clients on one file would each send
    /// what waits in it.
    init(_ url: URL) throws {
        path = url.path(percentEncoded: false)
        let descriptor = try Self.open(path, O_RDWR | O_CREAT | O_CLOEXEC)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            Self.close(descriptor)
            throw Failure(code: code)
        }
        file = Mutex(Open(descriptor: descriptor, length: Int(lseek(descriptor, 0, SEEK_END))))
    }

    deinit { close() }

    func close() {
        file.withLock { file in
            guard file.descriptor >= 0 else { return }
            // Explicitly: a sync under way holds a copy of the descriptor, and the lock with it.
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
                // A torn record would hide those that are added behind it.
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
            file = Open(descriptor: descriptor, length: bytes.count)
            try Self.syncFolder(of: path)
        }
    }

    func sync() throws {
        // Not under the lock: adding must not wait for a slow disk.
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

    /// The new name must be as lasting as what it names.
    private static func syncFolder(of path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let descriptor = try open(folder, O_RDONLY | O_CLOEXEC)
        defer { Self.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure(code: errno) }
    }
}
