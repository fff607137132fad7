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
    /// Whether any host will do, whatever the URL says.
    var acceptsStandby = false

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
    private var needs: [(String, String)] {
        [("client_encoding", "UTF8")] + (acceptsStandby ? [("target_session_attrs", "any")] : [])
    }

    func withKeywords<Value>(
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>
        ) -> Value
    ) -> Value {
        // The last value of a repeated keyword counts. "dbname" may hold a URL.
        let pairs = defaults + [("dbname", url)] + needs
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

    /// The reason why no connection with this URL can succeed, or nil. It has no part of a password.
    static func problem(of url: String) -> String? {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        // libpq would use the beginning of the password as a port, and show it.
        if parts.count == 4, parts[2].contains(":"), !parts[2].contains("@"),
            parts[3].prefix(while: { $0 != "?" }).contains("@")
        {
            return "the URL has a / before its @: encode / in the password as %2F, and @ as %40"
        }
        var message: UnsafeMutablePointer<CChar>?
        if let options = PQconninfoParse(url, &message) {
            defer { PQconninfoFree(options) }
            return problem(of: values(of: options), url)
        }
        defer { PQfreemem(message) }
        let reason = message.map {
            String(cString: $0).split(separator: "\n").joined(separator: " ")
        }
        // These messages have the whole part.
        let isQuoting = ["percent-encoded", "separator"].contains { reason?.contains($0) ?? false }
        guard let reason, !isQuoting else { return notEncoded }
        return reason
    }

    private static let notEncoded =
        "a part of the URL is not percent-encoded: encode % as %25, and ? as %3F"

    // MARK: Values

    /// The values that the URL sets.
    private static func values(
        of options: UnsafeMutablePointer<PQconninfoOption>
    ) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let name = option.pointee.keyword {
            if let value = option.pointee.val {
                values[String(cString: name)] = String(cString: value)
            }
            option += 1
        }
        return values
    }

    /// libpq checks values when it connects, and does not say whether a later attempt can succeed. It ignores
    /// most files that do not exist.
    private static func problem(of values: [String: String], _ url: String) -> String? {
        // A password with a "?" has become a part of other values.
        let query = url.firstIndex(of: "?").map { url[$0...] } ?? ""
        guard !query.contains("@") else { return notEncoded }
        for name in integers {
            guard let value = values[name], Int32(value) == nil else { continue }
            return "\(name) must be a number, not \"\(value)\""
        }
        let environment = ProcessInfo.processInfo.environment
        for name in files {
            // A key of an engine, or the certificates of the system, is no file.
            guard let path = values[name], !path.contains(":"), path != "system",
                !FileManager.default.fileExists(atPath: path)
            else { continue }
            return "the file \(path) of \(name) does not exist"
        }
        let mode = values["sslmode"] ?? environment["PGSSLMODE"] ?? ""
        if ["verify-ca", "verify-full"].contains(mode), values["sslrootcert"] == nil,
            let path = environment["PGSSLROOTCERT"]
                ?? environment["HOME"].map({ "\($0)/.postgresql/root.crt" }),
            path != "system", !FileManager.default.fileExists(atPath: path)
        {
            return "sslmode=\(mode) needs a root certificate: set sslrootcert, or provide \(path)"
        }
        let isOfService = (values["service"] ?? environment["PGSERVICE"]) != nil
        let hosts = values["host"]?.split(separator: ",", omittingEmptySubsequences: false).count
        return isOfService ? nil : refusal(of: url, hostCount: hosts ?? 1)
    }

    private static let integers = [
        "connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval",
        "keepalives_count", "tcp_user_timeout",
    ]
    private static let files = [
        "sslrootcert", "sslcert", "sslkey", "sslcrl", "sslcrldir", "passfile",
    ]

    /// The reason why libpq refuses a value, or nil. To find it, this begins a connection to sockets that do
    /// not exist: libpq checks the values before.
    private static func refusal(of url: String, hostCount: Int) -> String? {
        let folder = "/nonexistent"
        let hosts = Array(repeating: folder, count: hostCount).joined(separator: ",")
        let connection = withStrings(["dbname", "host"]) { keywords in
            withStrings([url, hosts]) { PQconnectStartParams(keywords, $0, 1) }
        }
        defer { PQfinish(connection) }
        guard PQstatus(connection) == CONNECTION_BAD, let text = PQerrorMessage(connection) else {
            return nil
        }
        let reason = String(cString: text).split(separator: "\n").joined(separator: " ")
        return reason.isEmpty || reason.contains(folder) ? nil : reason
    }
}
