import ArgumentParser
import MicroHTTP

/// A value of `--cors-origin`: an origin as browsers write it, or all of them.
enum AllowedOrigin: ExpressibleByArgument, Equatable {
    case any
    case one(String)

    /// `nil` where it is no origin: a path behind it, say, which no browser sends.
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

    /// What all of the values together allow; `nil` where none was given.
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

    /// Of a host and a port, an IPv6 address in brackets too.
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
