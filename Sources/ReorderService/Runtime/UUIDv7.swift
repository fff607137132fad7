import Foundation

/// Ids for resources that clients did not name: UUIDs of version 7 (RFC 9562), which sort by time.
package enum UUIDv7 {
    package static func make() -> String { make(.system) }

    /// - Parameter environment: gives the time and the random bits.
    package static func make(_ environment: ServiceEnvironment) -> String {
        let milliseconds = UInt64(environment.date().timeIntervalSince1970 * 1000)
        let high = milliseconds << 16 | 0x7000 | environment.random() >> 52
        let low = 0x8000_0000_0000_0000 | environment.random() >> 2
        var bytes: [UInt8] = []
        for word in [high, low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
            .uuidString.lowercased()
    }
}
