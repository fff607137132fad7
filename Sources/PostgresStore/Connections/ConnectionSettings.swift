import CPostgres
import Foundation

/// The address of a server and the parameters of its connections.
struct ConnectionSettings: Sendable {
    /// `postgres://…`, as libpq parses it.
    var url: String
    /// A connection is closed if the server does not respond for this long.
    var timeoutSeconds: Double
    /// The server is unreachable if it sends nothing for this long, and a new connection can't be opened
    /// in the second half of this time. nil: only `timeoutSeconds` counts.
    var stallSeconds: Double?

    /// Defaults for parameters that the URL does not set.
    private var defaults: [(String, String)] {
        [
            // Selects the host that accepts writes.
            ("target_session_attrs", "read-write"),
            ("connect_timeout", "5"),
            ("application_name", "reorderd"),
            // Detect within about 20 seconds that a server has disappeared without closing its
            // connections.
            ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "\(Int(timeoutSeconds * 1_000))"),
        ]
    }

    /// Parameters that the store requires; they override the URL.
    private static let needs = [("client_encoding", "UTF8")]

    func withKeywords<Value>(
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>
        ) -> Value
    ) -> Value {
        // The last value of a repeated keyword counts. "dbname" may hold a URL.
        let pairs = defaults + [("dbname", url)] + Self.needs
        return Self.withStrings(pairs.map(\.0)) { keywords in
            Self.withStrings(pairs.map(\.1)) { values in body(keywords, values) }
        }
    }

    /// Passes C strings, terminated by a null pointer.
    private static func withStrings<Value>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies.map { UnsafePointer($0) } + [nil])
    }

    /// The reason why libpq can't parse the URL, or nil. It has no part of a password.
    static func problem(of url: String) -> String? {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        // libpq would use the beginning of the password as a port, and show it.
        if parts.count == 4, parts[2].contains(":"), !parts[2].contains("@"),
            parts[3].prefix(while: { $0 != "?" }).contains("@")
        {
            return "the URL has a / before its @: encode / in the password as %2F, and @ as %40"
        }
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &message)
        PQconninfoFree(options)
        guard options == nil else { return nil }
        defer { PQfreemem(message) }
        let reason = message.map {
            String(cString: $0).split(separator: "\n").joined(separator: " ")
        }
        // These messages have the whole part.
        let isQuoting = ["percent-encoded", "separator"].contains { reason?.contains($0) ?? false }
        guard let reason, !isQuoting else {
            return "a part of the URL is not percent-encoded: encode % as %25, and ? as %3F"
        }
        return reason
    }
}
