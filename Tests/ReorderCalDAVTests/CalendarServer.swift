import Foundation
import Logging
import MicroHTTP
import ReorderAPI
import ReorderAuth
import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderStore
import Synchronization
import Testing

@testable import ReorderCalDAV

/// A server in process, whose clock stands still.
final class CalendarServer: Sendable {
    let service: ListService
    private let router: Router
    private let field: String?

    /// - Parameters:
    ///   - tokens: lines of a token file; nil for a server without tokens.
    ///   - field: the field `Authorization` of all requests.
    init(
        tokens: String? = nil, sending field: String? = nil, isEncrypted: Bool = false,
        proxies: [String] = []
    ) throws {
        self.field = field
        let clock = Clock()
        var environment = ServiceEnvironment.system
        environment.date = { clock.date }
        self.clock = clock
        service = ListService(
            store: MemoryListStore(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { _ in }, environment: environment)
        let control = try tokens.map { AccessControl(tokens: try TokenTable($0)) }
        let proxies = TrustedProxies(proxies.compactMap { TrustedProxies.Network($0) })
        let calendars = CalDAV(isEncrypted: isEncrypted, proxies: proxies)
        router = ReorderAPI(service: service, access: control).makeRouter(mounts: calendars.mounts)
    }

    deinit { try? service.stop() }

    private final class Clock: Sendable {
        private let seconds = Mutex(1_796_000_000.0)
        var date: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
        func advance(_ added: Double) { seconds.withLock { $0 += added } }
    }

    private let clock: Clock

    func advance(seconds: Double) { clock.advance(seconds) }

    @discardableResult
    func send(
        _ method: String, _ path: String, _ body: String = "", _ fields: [String: String] = [:]
    ) -> Response {
        var headers = HeaderFields()
        if method == "PUT", path.hasPrefix("/dav") { headers["Content-Type"] = "text/calendar" }
        if let field { headers["Authorization"] = field }
        for (name, value) in fields { headers[name] = value }
        return router.respond(
            to: Request(
                method: HTTPMethod(rawValue: method), target: path, headers: headers,
                body: Array(body.utf8)))
    }

    // MARK: Lists

    func makeList(_ id: String = "l", _ document: String = #"{"title":"L"}"#) {
        send("PUT", "/lists/\(id)", document, ["Content-Type": "application/json"])
    }

    /// The titles in order, each with two spaces for each level.
    func titles(_ list: String = "l") -> [String] {
        tasks(list).map { String(repeating: "  ", count: $0.depth) + $0.content.title }
    }

    func tasks(_ list: String = "l") -> [ListTask] {
        let body = send("GET", "/lists/\(list)").body
        guard let document = try? ListDocument(json: body), let made = try? document.makeList()
        else {
            return []
        }
        return Array(made.tasks)
    }

    /// Moves a task as the page does.
    func move(_ task: String, _ members: String) {
        let response = send(
            "POST", "/lists/l/move", #"{"task":"\#(task)",\#(members)}"#,
            ["Content-Type": "application/json"])
        #expect(response.status == 200)
    }

    // MARK: Calendars

    @discardableResult
    func put(
        _ uid: String, _ lines: [String], to list: String = "l",
        _ fields: [String: String] = [:]
    ) -> Response {
        send("PUT", "/dav/calendars/\(list)/\(uid).ics", Self.text(uid, lines), fields)
    }

    static func text(_ uid: String, _ lines: [String]) -> String {
        (["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VTODO", "UID:\(uid)"] + lines + [
            "END:VTODO", "END:VCALENDAR", "",
        ]).joined(separator: "\r\n")
    }

    /// The lines of a task as a client reads it.
    func lines(_ name: String, of list: String = "l") -> [String] {
        let body = send("GET", "/dav/calendars/\(list)/\(name).ics").body
        return String(decoding: body, as: UTF8.self).components(separatedBy: "\r\n")
    }

    /// The sort keys of all tasks, as a client reads them.
    func keys(_ list: String = "l") -> [String: Int] {
        var keys: [String: Int] = [:]
        for task in tasks(list) {
            let line = lines(task.id, of: list).first { $0.hasPrefix("X-APPLE-SORT-ORDER:") }
            keys[task.id] = line.flatMap { Int($0.dropFirst(19)) }
        }
        return keys
    }

    func report(_ body: String, on list: String = "l") -> String {
        let declarations =
            #"xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav""#
        let name = body.dropFirst().prefix { $0 != ">" && $0 != " " }
        let start = body.index(body.startIndex, offsetBy: name.count + 1)
        let whole = body[..<start] + " \(declarations)" + body[start...]
        return String(
            decoding: send("REPORT", "/dav/calendars/\(list)/", String(whole)).body, as: UTF8.self)
    }

    /// The names in the answer to a sync, the deleted ones with a minus, and the new token.
    func sync(_ token: String, on list: String = "l", limit: Int? = nil) throws -> (
        Set<String>, String
    ) {
        let text = report(
            "<sync-collection><sync-token>\(token)</sync-token><sync-level>1</sync-level>"
                + (limit.map { "<limit><nresults>\($0)</nresults></limit>" } ?? "")
                + "<prop><getetag/></prop></sync-collection>", on: list)
        let root = try XMLReader.read(Array(text.utf8))
        var names: Set<String> = []
        for response in root.children where response.name == .dav("response") {
            let name = response.child(.dav("href"))?.text.split(separator: "/").last ?? ""
            let status = response.child(.dav("status"))?.text ?? ""
            names.insert((status.contains("404") ? "-" : status.contains("507") ? "!" : "") + name)
        }
        return (names, root.child(.dav("sync-token"))?.text ?? "")
    }
}
