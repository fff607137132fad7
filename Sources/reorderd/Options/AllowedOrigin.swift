import ArgumentParser
import MicroHTTP

/// A value of `--cors-origin`: an origin as browsers send it, or `*`.
enum AllowedOrigin: ExpressibleByArgument, Equatable {
    case any
    case one(String)

    /// Returns nil if the value is not an origin, for example because it has a path.
    init?(argument: String) {
        if argument == "*" {
            self = .any
            return
        }
        let origin = argument.lowercased()
        let parts = origin.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].hasPrefix("//"), parts[1].count > 2,
            parts[0].utf8.allSatisfy(Self.isSchemeByte),
            parts[1].dropFirst(2).utf8.allSatisfy(Self.isHostByte)
        else { return nil }
        self = .one(origin)
    }

    /// The origins that the values allow together; nil without values.
    static func all(_ values: [AllowedOrigin]) -> CrossOrigin.Origins? {
        guard !values.isEmpty else { return nil }
        guard !values.contains(.any) else { return .any }
        return .only(
            Set(
                values.compactMap { value in
                    if case .one(let origin) = value { origin } else { nil }
                }))
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    /// Whether a host with a port may contain the byte. The host may be an IPv6 address in
    /// brackets.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        isSchemeByte(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
            || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
