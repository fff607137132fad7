/// The name of an element or a property, with its namespace.
package struct XMLName: Hashable, Sendable {
    static let dav = "DAV:"
    static let caldav = "urn:ietf:params:xml:ns:caldav"
    static let calendarServer = "http://calendarserver.org/ns/"
    static let apple = "http://apple.com/ns/ical/"

    let namespace: String
    let local: String

    init(_ namespace: String, _ local: String) {
        self.namespace = namespace
        self.local = local
    }

    package static func dav(_ local: String) -> XMLName { XMLName(dav, local) }
    static func caldav(_ local: String) -> XMLName { XMLName(caldav, local) }

    /// In one text, to store it.
    var stored: String { "{\(namespace)}\(local)" }

    init?(stored: String) {
        guard stored.first == "{", let end = stored.lastIndex(of: "}") else { return nil }
        self.init(
            String(stored[stored.index(after: stored.startIndex)..<end]),
            String(stored[stored.index(after: end)...]))
    }
}
