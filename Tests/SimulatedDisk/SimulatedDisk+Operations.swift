import RandomRuns

/// The operations on files. Each throws a `Failure`.
extension SimulatedDisk {
    /// - Parameter name: the file's path; nil for a temporary file.
    func open(_ name: String?, creates: Bool) throws -> Inode {
        try state.withLock { state in
            guard !state.hasStopped else { throw Failure.stopped }
            if let name, let number = state.names[name] {
                return Inode(number: number, start: state.start)
            }
            guard creates else { throw Failure.noSuchFile }
            return try state.perform(.create) { state in
                let number = state.nextFile
                state.nextFile += 1
                state.files[number] = SimulatedFile()
                if let name { state.rename(name, to: number) }
                return Inode(number: number, start: state.start)
            }
        }
    }

    func remove(named name: String) throws {
        try state.withLock { state in
            guard state.names[name] != nil else { throw Failure.noSuchFile }
            try state.perform(.remove) { $0.rename(name, to: nil) }
        }
    }

    func size(named name: String) throws -> Int? {
        try state.withLock { state in
            guard !state.hasStopped else { throw Failure.stopped }
            return state.names[name].map { state.files[$0]?.bytes.count ?? 0 }
        }
    }

    func size(of inode: Inode) throws -> Int {
        try state.withLock { try $0.file(inode).bytes.count }
    }

    /// Copies bytes of the file, and returns their number.
    func read(
        _ inode: Inode, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        try state.withLock { state in
            try state.file(inode).bytes.withUnsafeBytes { bytes in
                let count = max(0, min(buffer.count, bytes.count - offset))
                guard count > 0 else { return 0 }
                buffer.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
                return count
            }
        }
    }

    /// A write that fails writes a part of the bytes.
    func write(_ inode: Inode, at offset: Int, _ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { state in
            _ = try state.file(inode)
            do {
                try state.perform(.write) { state in
                    try state.checkSpace(inode.number, size: offset + bytes.count)
                    state.apply(.write(offset: offset, bytes: Array(bytes)), to: inode)
                }
            } catch Failure.failed {
                let part = Array(bytes.prefix(state.generator.below(bytes.count)))
                state.apply(.write(offset: offset, bytes: part), to: inode)
                throw Failure.failed
            }
        }
    }

    func truncate(_ inode: Inode, to size: Int) throws {
        try state.withLock { state in
            _ = try state.file(inode)
            try state.perform(.truncate) { $0.apply(.truncate(size: size), to: inode) }
        }
    }

    /// Makes the file at least this long, if there is space.
    func allocate(_ inode: Inode, _ byteCount: Int) throws {
        try state.withLock { state in
            let size = max(byteCount, try state.file(inode).bytes.count)
            try state.perform(.allocate) { state in
                try state.checkSpace(inode.number, size: size)
                state.apply(.truncate(size: size), to: inode)
            }
        }
    }

    /// Makes a file's content durable.
    ///
    /// A sync that fails makes some changes durable. Programs still read the others, but the next
    /// sync succeeds without writing them, as on Linux.
    func sync(_ inode: Inode) throws {
        try state.withLock { state in
            _ = try state.file(inode)
            do {
                try state.perform(.sync) { $0.files[inode.number]?.sync() }
            } catch Failure.failed {
                var outcome = UnsyncedOutcome(state.generator)
                state.files[inode.number]?.settle(&outcome)
                state.generator = outcome.generator
                throw Failure.failed
            }
        }
    }

    func syncNames() throws {
        try state.withLock { state in
            try state.perform(.syncDirectory) { state in
                state.durableNames = state.names
                state.unsyncedNames = []
            }
        }
    }
}

extension SimulatedDisk.State {
    func file(_ inode: SimulatedDisk.Inode) throws -> SimulatedFile {
        guard !hasStopped, inode.start == start, let file = files[inode.number] else {
            throw SimulatedDisk.Failure.stopped
        }
        return file
    }

    fileprivate mutating func apply(
        _ change: SimulatedFile.Change, to inode: SimulatedDisk.Inode
    ) {
        files[inode.number]?.apply(change)
    }

    fileprivate mutating func rename(_ name: String, to file: Int?) {
        names[name] = file
        unsyncedNames.append((name, file))
    }
}
