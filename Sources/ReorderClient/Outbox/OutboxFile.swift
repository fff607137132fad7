import Foundation

/// A file in a folder of the app.
final class OutboxFile: OutboxStorage {
    private struct OpenFile {
        /// Negative after the file was closed.
        var descriptor: Int32
        var length: Int
        /// The file with the prepared content.
        var prepared: (descriptor: Int32, length: Int)?
        /// Whether the file stays locked between writes.
        var isHeld = true
        /// Another client has used the file while it was not locked.
        var isLost = false
        /// The file got its name since the last sync.
        var isRenamed = false
    }

    private let path: String
    private let file: Lock<OpenFile>

    /// Opens or creates the file and locks it: two clients with one file would each send its
    /// operations.
    init(_ url: URL) throws {
        path = url.path(percentEncoded: false)
        let descriptor = try FileCalls.open(path, O_RDWR | O_CREAT | O_CLOEXEC)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = DeviceFileError()
            FileCalls.close(descriptor)
            throw error
        }
        file = Lock(OpenFile(descriptor: descriptor, length: Int(lseek(descriptor, 0, SEEK_END))))
    }

    deinit { close(isWorthless: false) }

    func close(isWorthless: Bool) {
        file.withLock { file in
            guard file.descriptor >= 0 else { return }
            if isWorthless, !file.isLost { unlink(path) }
            // Unlocks explicitly, because a sync in progress has a copy of the descriptor, which
            // keeps the lock.
            flock(file.descriptor, LOCK_UN)
            FileCalls.close(file.descriptor)
            if let prepared = file.prepared { FileCalls.close(prepared.descriptor) }
            file = OpenFile(descriptor: -1, length: 0)
        }
    }

    /// In the background, each write locks the file for a moment. If another client has changed it meanwhile, all further
    /// writes fail: they would overwrite its records.
    func setHeld(_ isHeld: Bool) {
        file.withLock { file in
            guard file.descriptor >= 0, file.isHeld != isHeld else { return }
            file.isHeld = isHeld
            if !isHeld {
                flock(file.descriptor, LOCK_UN)
            } else if (try? lock(&file)) == nil {
                file.isLost = true
            }
        }
    }

    var isLost: Bool { file.withLock(\.isLost) }

    /// Locks the file, which must be as this client left it.
    private func lock(_ file: inout OpenFile) throws {
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw DeviceFileError() }
        var (own, named) = (stat(), stat())
        guard fstat(file.descriptor, &own) == 0, stat(path, &named) == 0,
            own.st_ino == named.st_ino, Int(own.st_size) == file.length
        else {
            flock(file.descriptor, LOCK_UN)
            file.isLost = true
            throw DeviceFileError(EWOULDBLOCK)
        }
    }

    /// Changes the file while it is locked.
    private func change(_ body: (inout OpenFile) throws -> Void) throws {
        try file.withLock { file in
            guard !file.isLost else { throw DeviceFileError(EWOULDBLOCK) }
            if !file.isHeld { try lock(&file) }
            defer { if !file.isHeld { flock(file.descriptor, LOCK_UN) } }
            try body(&file)
        }
    }

    func read() throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path))) }

    func append(_ bytes: [UInt8]) throws {
        try change { file in
            do {
                try FileCalls.write(bytes, to: file.descriptor, at: file.length)
            } catch {
                // An incomplete record would hide the records after it.
                ftruncate(file.descriptor, off_t(file.length))
                throw error
            }
            file.length += bytes.count
        }
    }

    func cut(to count: Int) throws {
        try change { file in
            guard ftruncate(file.descriptor, off_t(count)) == 0 else { throw DeviceFileError() }
            file.length = count
        }
    }

    private var temporaryPath: String { path + ".new" }

    func prepare(_ bytes: [UInt8]) throws {
        let descriptor = try FileCalls.open(temporaryPath, O_RDWR | O_CREAT | O_CLOEXEC)
        do {
            // The lock stays with the descriptor, and so with the file after it is renamed.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, ftruncate(descriptor, 0) == 0
            else { throw DeviceFileError() }
            try FileCalls.write(bytes, to: descriptor, at: 0)
            try FileCalls.flush(descriptor)
        } catch {
            FileCalls.close(descriptor)
            throw error
        }
        file.withLock { $0.prepared = (descriptor, bytes.count) }
    }

    func replace(keepingFrom offset: Int) throws {
        // Also if it can't replace the file, because its lock would prevent another preparation.
        let prepared = file.withLock { file in
            defer { file.prepared = nil }
            return file.prepared
        }
        guard let prepared else { throw DeviceFileError(EBADF) }
        do {
            try change { file in
                guard file.descriptor >= 0 else { throw DeviceFileError(EBADF) }
                let rest = try FileCalls.read(file.descriptor, offset..<file.length)
                try FileCalls.write(rest, to: prepared.descriptor, at: prepared.length)
                guard rename(temporaryPath, path) == 0 else { throw DeviceFileError() }
                FileCalls.close(file.descriptor)
                file = OpenFile(
                    descriptor: prepared.descriptor, length: prepared.length + rest.count,
                    isHeld: file.isHeld, isRenamed: true)
            }
        } catch {
            FileCalls.close(prepared.descriptor)
            throw error
        }
    }

    func sync() throws {
        // Outside the lock, so that appending does not wait for a slow disk.
        let (copy, isRenamed) = try file.withLock { file in
            let copy = dup(file.descriptor)
            guard copy >= 0 else { throw DeviceFileError() }
            return (copy, file.isRenamed)
        }
        defer { FileCalls.close(copy) }
        try FileCalls.flush(copy)
        guard isRenamed else { return }
        try FileCalls.flushFolder(of: path)
        file.withLock { $0.isRenamed = false }
    }
}
