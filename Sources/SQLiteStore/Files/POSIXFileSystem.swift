import Foundation
import Synchronization

/// The operating system's files.
package struct POSIXFileSystem: FileSystem {
    package init() {}

    package func databaseName(_ path: String) -> String { path }

    package func canonicalPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    package func size(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    package func space(in directory: String) -> (free: Int, total: Int)? {
        var space = statvfs()
        guard statvfs(directory, &space) == 0 else { return nil }
        let unit = Int(space.f_frsize)
        return (Int(space.f_bavail) * unit, Int(space.f_blocks) * unit)
    }

    package func open(_ path: String, mode: UInt32) throws(FileError) -> any StoreFile {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else { throw .last("\(path) can't be opened") }
        return POSIXFile(descriptor, path: path)
    }

    package func remove(_ path: String) { unlink(path) }

    package func rewrite(_ path: String) throws(FileError) {
        let descriptor = Foundation.open(path, O_RDWR | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return }
        guard descriptor >= 0 else { throw .last("\(path) can't be opened") }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: Self.rewrittenBytes)
        var offset: off_t = 0
        while true {
            let count = pread(descriptor, &buffer, buffer.count, offset)
            if count == 0 { break }
            guard count > 0, pwrite(descriptor, buffer, count, offset) == count else {
                throw .last("\(path) can't be rewritten")
            }
            offset += off_t(count)
        }
        guard fsync(descriptor) == 0 else { throw .last("\(path) can't be synced") }
    }

    private static let rewrittenBytes = 1 << 20

    package func syncDirectory(_ directory: String) throws(FileError) {
        let descriptor = Foundation.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("\(directory) can't be opened") }
        defer { close(descriptor) }
        // Some file systems do not support this sync and report EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw .last("\(directory) can't be synced")
        }
    }
}

private final class POSIXFile: StoreFile {
    private let path: String
    /// -1 after it was closed.
    private let descriptor: Mutex<Int32>
    private let isLocked = Mutex(false)

    init(_ descriptor: Int32, path: String) {
        self.path = path
        self.descriptor = Mutex(descriptor)
    }

    func lock() throws(FileError) -> Bool {
        guard flock(descriptor.withLock(\.self), LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return false }
            throw .last("\(path) can't be locked")
        }
        isLocked.withLock { $0 = true }
        return true
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        pread(descriptor.withLock(\.self), buffer.baseAddress, buffer.count, 0) == buffer.count
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        pwrite(descriptor.withLock(\.self), bytes.baseAddress, bytes.count, 0) == bytes.count
    }

    func allocate(_ byteCount: Int) -> Bool {
        // On file systems without this operation, the C library writes a byte to each block.
        posix_fallocate(descriptor.withLock(\.self), 0, off_t(byteCount)) == 0
    }

    func close() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            // Unlocks explicitly, because a child process has a copy of the descriptor until its
            // `exec`.
            if isLocked.withLock(\.self) { flock(descriptor, LOCK_UN) }
            Foundation.close(descriptor)
            descriptor = -1
        }
    }

    deinit { close() }
}

extension FileError {
    /// The error of the last system call.
    fileprivate static func last(_ failure: String) -> FileError {
        FileError(description: "\(failure): \(String(cString: strerror(errno)))")
    }
}
