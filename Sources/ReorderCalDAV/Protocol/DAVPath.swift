import MicroHTTP

/// What a path names.
enum DAVPath: Equatable, Sendable {
    case root
    case principal
    /// The collection of all lists.
    case home
    case list(String)
    case task(list: String, name: String)

    /// - Parameter segments: decoded; an empty one at the end is ignored.
    init?(_ segments: [String]) {
        switch segments.last == "" ? segments.dropLast() : segments[...] {
        case ["dav"]: self = .root
        case ["dav", "principal"]: self = .principal
        case ["dav", "calendars"]: self = .home
        case let path where path.starts(with: ["dav", "calendars"]) && !path.contains(""):
            switch path.count {
            case 3: self = .list(path[2])
            case 4 where ResourceName.isValid(path[3]):
                self = .task(list: path[2], name: path[3])
            default: return nil
            }
        default: return nil
        }
    }

    /// Reads a path or a URL, such as the field `Destination`. The host of a URL is not compared: proxies change it.
    init?(reference: String) {
        var path = Substring(reference.trimmingBlanks())
        for scheme in ["http://", "https://"] where path.lowercased().hasPrefix(scheme) {
            path = path.dropFirst(scheme.count).drop { $0 != "/" }
        }
        path = path.prefix { $0 != "?" && $0 != "#" }
        guard path.first == "/", let segments = Request.segments(ofPath: path.utf8) else {
            return nil
        }
        self.init(segments)
    }

    /// The path, encoded. Collections end with a slash.
    var href: String {
        switch self {
        case .root: "/dav/"
        case .principal: "/dav/principal/"
        case .home: "/dav/calendars/"
        case .list(let list): "/dav/calendars/\(Self.encoded(list))/"
        case .task(let list, let name):
            "/dav/calendars/\(Self.encoded(list))/\(Self.encoded(name))"
        }
    }

    private static func encoded(_ segment: String) -> String {
        var encoded = ""
        for byte in segment.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "@"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return encoded
    }
}
