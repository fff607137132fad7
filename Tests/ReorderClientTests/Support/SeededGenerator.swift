import Foundation

/// A small generator whose whole state is its seed (SplitMix64), so that a failure can be rerun.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &self) }

    mutating func seconds(_ range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &self)
    }
}

/// What the environment says of the seeded tests.
enum Settings {
    static func operations(_ standard: Int) -> Int {
        ProcessInfo.processInfo.environment["REORDERD_OPERATIONS"].flatMap { Int($0) } ?? standard
    }

    static var seed: UInt64 {
        ProcessInfo.processInfo.environment["REORDERD_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0..<1_000_000)
    }
}
