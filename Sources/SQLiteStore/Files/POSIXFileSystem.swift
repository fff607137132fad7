import Foundation
import Synchronization

/// The operating system's files.
package struct POSIXFileSystem: FileSystem {
    package init() {}

    package func databaseName(_ path: String, isImmutable: Bool) -> String {
        guard isImmutable else { return path }
        let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
        return "file:\(escaped)?immutable=1"
    }

    package func canonicalPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    package func size(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    package func hasOtherNames(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_nlink > 1
    }

    package func space(in directory: String) -> (free: Int, total: Int)? {
        var space = statvfs()
        guard statvfs(directory, &space) == 0 else { return nil }
        let unit = Int(space.f_frsize)
        return (Int(space.f_bavail) * unit, Int(space.f_blocks) * unit)
    }

    package func open(
        _ path: String, mode: UInt32, like model: String
    ) throws(FileError) -> any StoreFile {
        let owner = FileOwner(of: model)
        while true {
            let new = Foundation.open(
                path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
            if new >= 0 {
                if geteuid() == 0, let owner { fchown(new, owner.user, owner.group) }
                return POSIXFile(new, path: path)
            }
            guard errno == EEXIST else { throw .denied(path) }
            let known = Foundation.open(path, O_RDWR | O_CLOEXEC)
            if known >= 0 { return POSIXFile(known, path: path) }
            // Another process has removed it meanwhile.
            guard errno == ENOENT, size(of: path) == nil else { throw .denied(path) }
        }
    }

    package func checkWritable(_ path: String) throws(FileError) {
        guard faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) != 0, errno != ENOENT else {
            return
        }
        throw .denied(path)
    }

    package func remove(_ path: String) { unlink(path) }

    package func rewrite(_ path: String) throws(FileError) {
        let descriptor = Foundation.open(path, O_RDWR | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return }
        guard descriptor >= 0 else { throw .denied(path) }
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

    func read(into buffer: UnsafeMutableRawBufferPointer) {
        pread(descriptor.withLock(\.self), buffer.baseAddress, buffer.count, 0)
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

    /// The error of the last system call, which should have opened a file for reading and writing.
    fileprivate static func denied(_ path: String) -> FileError {
        let code = errno
        let failure = FileError(
            description: "\(path) can't be opened for writing: \(String(cString: strerror(code)))")
        guard code == EACCES || code == EPERM, let owner = FileOwner(of: path) else {
            return failure
        }
        return FileError(description: "\(failure). \(owner.remedy)")
    }
}
