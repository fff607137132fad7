import Glibc
import RandomRuns

/// A file of a simulated disk: its content as programs see it, and its durable content.
struct SimulatedFile: Sendable {
    enum Change: Sendable {
        case write(offset: Int, bytes: [UInt8])
        case truncate(size: Int)
    }

    /// The content that programs read.
    private(set) var bytes: [UInt8] = []
    /// The content that a power cut leaves if it drops all unsynced changes.
    private(set) var durable: [UInt8] = []
    /// The changes since the last sync, oldest first.
    private(set) var unsynced: [Change] = []

    /// Each part of a write that is within one sector is kept or dropped as a whole.
    static let sectorBytes = 512

    mutating func apply(_ change: Change) {
        Self.apply(change, to: &bytes)
        unsynced.append(change)
    }

    mutating func sync() {
        for change in unsynced { Self.apply(change, to: &durable) }
        unsynced = []
    }

    /// Writes the whole content again, as unsynced changes.
    mutating func rewrite() {
        unsynced.append(.truncate(size: bytes.count))
        unsynced.append(.write(offset: 0, bytes: bytes))
    }

    /// Makes some of the unsynced changes durable, and drops the others.
    mutating func settle(_ outcome: inout UnsyncedOutcome) {
        for change in unsynced {
            for part in Self.parts(of: change) where outcome.keeps(isFirst: part.isFirst) {
                Self.apply(part.change, to: &durable)
            }
        }
        unsynced = []
    }

    /// Programs lose what is not durable.
    mutating func losePower(_ outcome: inout UnsyncedOutcome) {
        settle(&outcome)
        bytes = durable
    }

    private struct Part {
        var change: Change
        /// Whether it is the first part of its change.
        var isFirst: Bool
    }

    private static func parts(of change: Change) -> [Part] {
        guard case .write(let offset, let bytes) = change else {
            return [Part(change: change, isFirst: true)]
        }
        var parts: [Part] = []
        var start = 0
        while start < bytes.count {
            let end = min(
                bytes.count, start + sectorBytes - (offset + start) % sectorBytes)
            parts.append(
                Part(
                    change: .write(offset: offset + start, bytes: Array(bytes[start..<end])),
                    isFirst: start == 0))
            start = end
        }
        return parts
    }

    private static func apply(_ change: Change, to content: inout [UInt8]) {
        switch change {
        case .write(let offset, let bytes):
            guard !bytes.isEmpty else { return }
            grow(&content, to: offset + bytes.count)
            // Copies memory: the collections' methods take much longer in a debug build.
            content.withUnsafeMutableBytes { content in
                bytes.withUnsafeBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: content[offset...]).copyMemory(
                        from: bytes)
                }
            }
        case .truncate(let size):
            if size < content.count { content.removeLast(content.count - size) }
            grow(&content, to: size)
        }
    }

    private static func grow(_ content: inout [UInt8], to size: Int) {
        let count = size - content.count
        guard count > 0 else { return }
        content += [UInt8](unsafeUninitializedCapacity: count) { zeros, filled in
            if let start = zeros.baseAddress { memset(start, 0, count) }
            filled = count
        }
    }
}

/// Which unsynced changes a power cut or a failed sync keeps.
struct UnsyncedOutcome {
    private enum Kind {
        case none, all
        /// Each change is kept or dropped as a whole.
        case changes(percent: Int)
        /// Each sector of each change is kept or dropped.
        case sectors(percent: Int)
    }

    private let kind: Kind
    private(set) var generator: SeededGenerator
    private var keepsChange = false

    /// Chooses the kind of outcome.
    init(_ generator: SeededGenerator) {
        var generator = generator
        let percent = 5 + generator.below(91)
        kind =
            switch generator.below(10) {
            case 0, 1: .none
            case 2: .all
            case 3...5: .changes(percent: percent)
            default: .sectors(percent: percent)
            }
        self.generator = generator
    }

    /// Decides on the next part of a change.
    ///
    /// - Parameter isFirst: whether it is the change's first part.
    mutating func keeps(isFirst: Bool = true) -> Bool {
        switch kind {
        case .none: return false
        case .all: return true
        case .changes(let percent):
            if isFirst { keepsChange = generator.chance(percent) }
            return keepsChange
        case .sectors(let percent): return generator.chance(percent)
        }
    }
}
