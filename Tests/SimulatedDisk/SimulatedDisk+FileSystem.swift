import SQLiteStore
import Synchronization

/// The disk as a store's file system.
extension SimulatedDisk: FileSystem {
    package func databaseName(_ path: String, isImmutable: Bool) -> String {
        "file:\(path)?vfs=\(vfs.name)\(isImmutable ? "&immutable=1" : "")"
    }

    package func canonicalPath(_ path: String) -> String? {
        path == Self.directory || (try? size(named: path)) ?? nil != nil ? path : nil
    }

    package func size(of path: String) -> Int? { (try? size(named: path)) ?? nil }

    /// The disk has no hard links.
    package func hasOtherNames(_ path: String) -> Bool { false }

    package func space(in directory: String) -> (free: Int, total: Int)? {
        state.withLock { $0.capacity == .max ? nil : ($0.freeBytes, $0.capacity) }
    }

    package func checkWritable(_ path: String) {}

    package func open(
        _ path: String, mode: UInt32, like model: String
    ) throws(FileError) -> any StoreFile {
        do {
            return SimulatedStoreFile(disk: self, inode: try open(path, creates: true))
        } catch {
            throw FileError(description: "\(path): \(error)")
        }
    }

    package func remove(_ path: String) { try? remove(named: path) }

    package func rewrite(_ path: String) throws(FileError) {
        guard size(of: path) != nil else { return }
        do {
            let inode = try open(path, creates: false)
            try state.withLock { state in
                try state.perform(.write) { $0.files[inode.number]?.rewrite() }
            }
            try sync(inode)
        } catch {
            throw FileError(description: "\(path): \(error)")
        }
    }

    package func syncDirectory(_ directory: String) throws(FileError) {
        do {
            try syncNames()
        } catch {
            throw FileError(description: "\(directory): \(error)")
        }
    }
}

private final class SimulatedStoreFile: StoreFile {
    private let disk: SimulatedDisk
    private let inode: SimulatedDisk.Inode
    private let isLocked = Mutex(false)

    init(disk: SimulatedDisk, inode: SimulatedDisk.Inode) {
        self.disk = disk
        self.inode = inode
    }

    func lock() -> Bool {
        let isNew = disk.state.withLock { $0.lockedFiles.insert(inode.number).inserted }
        isLocked.withLock { $0 = isNew }
        return isNew
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) {
        _ = try? disk.read(inode, at: 0, into: buffer)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        (try? disk.write(inode, at: 0, bytes)) != nil
    }

    func allocate(_ byteCount: Int) -> Bool { (try? disk.allocate(inode, byteCount)) != nil }

    func close() {
        guard isLocked.withLock({ $0.exchange(false) }) else { return }
        disk.state.withLock { state in
            if state.start == inode.start { state.lockedFiles.remove(inode.number) }
        }
    }

    deinit { close() }
}

extension Bool {
    fileprivate mutating func exchange(_ other: Bool) -> Bool {
        defer { self = other }
        return self
    }
}
