import CPostgres
import Foundation

/// Where a server is and how to reach it.
struct ConnectionSettings: Sendable {
    /// `postgres://…`, as libpq reads it.
    var url: String
    /// After so many seconds without an answer a connection is given up.
    var timeoutSeconds: Double

    /// What holds where the URL does not say otherwise.
    private var defaults: [(String, String)] {
        [
            // One that may be written, whichever of the hosts that is now.
            ("target_session_attrs", "read-write"),
            ("connect_timeout", "5"),
            ("application_name", "reorderd"),
            // A server that has gone without a word is noticed in about as many seconds.
            ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "\(Int(timeoutSeconds * 1_000))"),
        ]
    }

    /// What the store itself needs, whatever the URL says.
    private static let needs = [("client_encoding", "UTF8")]

    func withKeywords<Value>(
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>
        ) -> Value
    ) -> Value {
        // Of a keyword given twice the last one counts; "dbname" is where a URL may stand.
        let pairs = defaults + [("dbname", url)] + Self.needs
        return Self.withStrings(pairs.map(\.0)) { keywords in
            Self.withStrings(pairs.map(\.1)) { values in body(keywords, values) }
        }
    }

    /// Gives C strings, with a null pointer after the last.
    private static func withStrings<Value>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies.map { UnsafePointer($0) } + [nil])
    }

    /// Whether libpq can read the URL, and why not.
    static func problem(of url: String) -> String? {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &message)
        PQconninfoFree(options)
        guard options == nil else { return nil }
        defer { PQfreemem(message) }
        return message.map { String(cString: $0).split(separator: "\n").joined(separator: " ") }
            ?? "it can't be read"
    }
}
