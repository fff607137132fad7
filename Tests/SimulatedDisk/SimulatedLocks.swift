import GRDBSQLite

/// SQLite's locks of a file, by the handles that have them.
struct FileLocks: Sendable {
    private var levels: [Int: Int32] = [:]

    /// - Returns: false if another handle's lock excludes this one.
    mutating func lock(_ level: Int32, for handle: Int) -> Bool {
        let others = levels.filter { $0.key != handle }.values.max() ?? SQLITE_LOCK_NONE
        let excluding: Int32 =
            switch level {
            case SQLITE_LOCK_SHARED: SQLITE_LOCK_PENDING
            default: SQLITE_LOCK_RESERVED
            }
        guard others < excluding else { return false }
        if level == SQLITE_LOCK_EXCLUSIVE, others > SQLITE_LOCK_NONE {
            // Admits no new readers until the current ones have finished.
            levels[handle] = SQLITE_LOCK_PENDING
            return false
        }
        levels[handle] = max(level, levels[handle] ?? SQLITE_LOCK_NONE)
        return true
    }

    mutating func unlock(_ level: Int32, for handle: Int) {
        levels[handle] = level == SQLITE_LOCK_NONE ? nil : level
    }

    var isReserved: Bool { levels.values.contains { $0 >= SQLITE_LOCK_RESERVED } }
}

/// The memory that the connections to a file share: the index of its write-ahead log.
///
/// `@unchecked Sendable`: the disk's lock protects the object, and SQLite protects the memory's
/// content.
final class SharedMemory: @unchecked Sendable {
    private var regions: [UnsafeMutableRawPointer] = []
    private var shared = [Set<Int>](repeating: [], count: Int(SQLITE_SHM_NLOCK))
    private var exclusive = [Int?](repeating: nil, count: Int(SQLITE_SHM_NLOCK))
    /// The handles that use it.
    var users: Set<Int> = []

    deinit {
        for region in regions { region.deallocate() }
    }

    /// Returns a region; nil if it does not exist and must not be created.
    func region(_ number: Int, byteCount: Int, creates: Bool) -> UnsafeMutableRawPointer? {
        while creates, regions.count <= number {
            let region = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
            region.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
            regions.append(region)
        }
        return number < regions.count ? regions[number] : nil
    }

    /// - Returns: false if another handle's lock excludes this one.
    func lock(_ slots: Range<Int>, isExclusive: Bool, for handle: Int) -> Bool {
        for slot in slots {
            if let holder = exclusive[slot], holder != handle { return false }
            if isExclusive, !shared[slot].subtracting([handle]).isEmpty { return false }
        }
        for slot in slots {
            if isExclusive { exclusive[slot] = handle } else { shared[slot].insert(handle) }
        }
        return true
    }

    func unlock(_ slots: Range<Int>, for handle: Int) {
        for slot in slots {
            shared[slot].remove(handle)
            if exclusive[slot] == handle { exclusive[slot] = nil }
        }
    }
}
