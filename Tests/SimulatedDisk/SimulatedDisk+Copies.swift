/// The whole content of the disk, for a program that copies files while the store is in use, and
/// for an operator who replaces them.
extension SimulatedDisk {
    /// The files as programs see them, by name.
    package var contents: [String: [UInt8]] {
        state.withLock { state in state.names.mapValues { state.files[$0]?.bytes ?? [] } }
    }

    /// Ends the process that uses the disk, and replaces all files. The new ones are durable.
    package func replaceAll(with contents: [String: [UInt8]]) {
        state.withLock { state in
            state.restart(after: .kill)
            (state.files, state.names, state.unsyncedNames) = ([:], [:], [])
            for (name, bytes) in contents.sorted(by: { $0.key < $1.key }) {
                var file = SimulatedFile()
                file.apply(.write(offset: 0, bytes: bytes))
                file.sync()
                state.files[state.nextFile] = file
                state.names[name] = state.nextFile
                state.nextFile += 1
            }
            state.durableNames = state.names
        }
    }
}
