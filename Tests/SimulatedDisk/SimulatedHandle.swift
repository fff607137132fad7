import GRDBSQLite
import Synchronization

/// A file that a connection of SQLite has open, and SQLite's functions for it.
///
/// `@unchecked Sendable`: a connection is used by one thread at a time.
final class SimulatedHandle: @unchecked Sendable {
    private let disk: SimulatedDisk
    private let inode: SimulatedDisk.Inode
    private let number: Int
    private var syncsDirectory: Bool
    private var memory: SharedMemory?

    /// - Parameter syncsDirectory: whether the first sync also syncs the directory.
    init(_ disk: SimulatedDisk, _ inode: SimulatedDisk.Inode, syncsDirectory: Bool) {
        self.disk = disk
        self.inode = inode
        self.syncsDirectory = syncsDirectory
        number = disk.state.withLock { state in
            state.nextHandle += 1
            return state.nextHandle
        }
    }

    // MARK: SQLite's structure: its own members, then the handle

    static let byteCount = Int32(
        MemoryLayout<sqlite3_file>.stride + MemoryLayout<UnsafeMutableRawPointer>.stride)

    /// Retains the handle until `close`.
    func store(in file: UnsafeMutablePointer<sqlite3_file>) {
        UnsafeMutableRawPointer(file).storeBytes(
            of: Unmanaged.passRetained(self).toOpaque(),
            toByteOffset: MemoryLayout<sqlite3_file>.stride, as: UnsafeMutableRawPointer.self)
        file.pointee.pMethods = UnsafePointer(Self.methods)
    }

    private static func reference(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> Unmanaged<SimulatedHandle>? {
        guard let file else { return nil }
        return Unmanaged.fromOpaque(
            UnsafeRawPointer(file).load(
                fromByteOffset: MemoryLayout<sqlite3_file>.stride,
                as: UnsafeMutableRawPointer.self))
    }

    private static func call(
        _ file: UnsafeMutablePointer<sqlite3_file>?, failed: Int32 = SQLITE_IOERR,
        _ body: (SimulatedHandle) throws -> Int32
    ) -> Int32 {
        guard let handle = reference(file)?.takeUnretainedValue() else { return SQLITE_IOERR }
        return result(failed: failed) { try body(handle) }
    }

    /// Constant after its initialization.
    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: sqlite3_io_methods())
        // Without xFetch: files are not mapped into memory.
        methods.pointee.iVersion = 2
        setContentFunctions(of: &methods.pointee)
        setLockFunctions(of: &methods.pointee)
        setMemoryFunctions(of: &methods.pointee)
        return methods
    }()

    private static func setContentFunctions(of methods: inout sqlite3_io_methods) {
        methods.xClose = { file in
            guard let reference = SimulatedHandle.reference(file) else { return SQLITE_IOERR }
            reference.takeUnretainedValue().close()
            reference.release()
            return SQLITE_OK
        }
        methods.xRead = { file, buffer, count, offset in
            SimulatedHandle.call(file) { try $0.read(buffer, Int(count), Int(offset)) }
        }
        methods.xWrite = { file, bytes, count, offset in
            SimulatedHandle.call(file, failed: SQLiteCode.writeFailed) { handle in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: Int(count))
                try handle.disk.write(handle.inode, at: Int(offset), bytes)
                return SQLITE_OK
            }
        }
        methods.xTruncate = { file, size in
            SimulatedHandle.call(file, failed: SQLiteCode.truncateFailed) { handle in
                try handle.disk.truncate(handle.inode, to: Int(size))
                return SQLITE_OK
            }
        }
        methods.xSync = { file, _ in
            SimulatedHandle.call(file, failed: SQLiteCode.syncFailed) { try $0.sync() }
        }
        methods.xFileSize = { file, size in
            SimulatedHandle.call(file) { handle in
                size?.pointee = Int64(try handle.disk.size(of: handle.inode))
                return SQLITE_OK
            }
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in Int32(SimulatedDisk.blockBytes) }
        methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    }

    private func read(_ buffer: UnsafeMutableRawPointer?, _ count: Int, _ offset: Int) throws
        -> Int32
    {
        let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: count)
        let found = try disk.read(inode, at: offset, into: buffer)
        guard found < count else { return SQLITE_OK }
        for index in found..<count { buffer[index] = 0 }
        return SQLiteCode.shortRead
    }

    private func sync() throws -> Int32 {
        try disk.sync(inode)
        if syncsDirectory {
            // SQLite ignores a failure of this sync.
            syncsDirectory = false
            try? disk.syncNames()
        }
        return SQLITE_OK
    }

    private func close() {
        unmap()
        whileInUse { $0.locks[inode.number]?.unlock(SQLITE_LOCK_NONE, for: number) }
    }

    // MARK: Locks

    /// Runs `body` if the disk has not been restarted since the file was opened.
    private func whileInUse(_ body: (inout SimulatedDisk.State) -> Void) {
        disk.state.withLock { if $0.start == inode.start { body(&$0) } }
    }

    private static func setLockFunctions(of methods: inout sqlite3_io_methods) {
        methods.xLock = { file, level in
            SimulatedHandle.call(file) { handle in
                try handle.disk.state.withLock { state in
                    _ = try state.file(handle.inode)
                    let isLocked = state.locks[handle.inode.number, default: FileLocks()]
                        .lock(level, for: handle.number)
                    return isLocked ? SQLITE_OK : SQLITE_BUSY
                }
            }
        }
        methods.xUnlock = { file, level in
            SimulatedHandle.call(file) { handle in
                handle.whileInUse {
                    $0.locks[handle.inode.number]?.unlock(level, for: handle.number)
                }
                return SQLITE_OK
            }
        }
        methods.xCheckReservedLock = { file, isReserved in
            SimulatedHandle.call(file) { handle in
                handle.whileInUse { state in
                    let found = state.locks[handle.inode.number]?.isReserved ?? false
                    isReserved?.pointee = found ? 1 : 0
                }
                return SQLITE_OK
            }
        }
    }

    // MARK: Shared memory

    private static func setMemoryFunctions(of methods: inout sqlite3_io_methods) {
        methods.xShmMap = { file, region, byteCount, creates, address in
            SimulatedHandle.call(file) { handle in
                let memory = try handle.map()
                address?.pointee = memory.region(
                    Int(region), byteCount: Int(byteCount), creates: creates != 0)
                return SQLITE_OK
            }
        }
        methods.xShmLock = { file, first, count, flags in
            SimulatedHandle.call(file) { handle in
                guard let memory = handle.memory else { return SQLITE_IOERR }
                let slots = Int(first)..<Int(first + count)
                return handle.disk.state.withLock { _ in
                    if flags & SQLITE_SHM_UNLOCK != 0 {
                        memory.unlock(slots, for: handle.number)
                        return SQLITE_OK
                    }
                    let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
                    return memory.lock(slots, isExclusive: isExclusive, for: handle.number)
                        ? SQLITE_OK : SQLITE_BUSY
                }
            }
        }
        methods.xShmBarrier = { _ in atomicMemoryFence(ordering: .sequentiallyConsistent) }
        methods.xShmUnmap = { file, _ in
            SimulatedHandle.call(file) { handle in
                handle.unmap()
                return SQLITE_OK
            }
        }
    }

    private func map() throws -> SharedMemory {
        if let memory { return memory }
        let mapped = try disk.state.withLock { state in
            _ = try state.file(inode)
            let mapped = state.memory[inode.number] ?? SharedMemory()
            state.memory[inode.number] = mapped
            mapped.users.insert(number)
            return mapped
        }
        memory = mapped
        return mapped
    }

    /// The memory is released with its last user.
    private func unmap() {
        guard let memory else { return }
        disk.state.withLock { state in
            memory.unlock(0..<Int(SQLITE_SHM_NLOCK), for: number)
            memory.users.remove(number)
            if memory.users.isEmpty, state.memory[inode.number] === memory {
                state.memory[inode.number] = nil
            }
        }
        self.memory = nil
    }
}
