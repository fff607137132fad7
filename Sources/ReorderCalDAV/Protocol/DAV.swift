import MicroHTTP

/// What this server supports of WebDAV and CalDAV.
enum DAV {
    /// The text of a task in bytes. It is stored in the task's `data`, beside what it says.
    static let maximumResourceBytes = 4_000
    /// A collection with more tasks is not returned as a whole.
    static let maximumTasks = 50_000

    /// The properties of a request.
    static let maximumProperties = 100
    /// The conditions of a filter.
    static let maximumConditions = 100
    static let maximumResponseBytes = 256 << 20

    static let xmlType = "application/xml; charset=utf-8"
    static let calendarType = "text/calendar; charset=utf-8; component=VTODO"
    static let classes = "1, 3, access-control, calendar-access, extended-mkcol"

    static let methods: [HTTPMethod] =
        [.get, .head, .put, .delete, .options]
        + ["COPY", "MKCALENDAR", "MKCOL", "MOVE", "PROPFIND", "PROPPATCH", "REPORT"].map {
            .other($0)
        }
}
