import Foundation
import MicroHTTP
import ReorderEngine
import ReorderJSON

extension CalendarRequest {
    /// Whether the client wants no `404` for properties that do not exist (RFC 8144).
    var isMinimal: Bool {
        request.headers.all("Prefer").contains { $0.lowercased().contains("return=minimal") }
    }

    /// A response with the properties of resources.
    func multistatus(_ content: (inout XMLWriter) -> Void) throws(DAVError) -> Response {
        let body = XMLWriter.document(.dav("multistatus"), content)
        guard body.count <= DAV.maximumResponseBytes else {
            throw DAVError(507, "The response is too large. Ask for fewer properties or tasks.")
        }
        return Response(
            status: 207,
            headers: [
                "Content-Type": DAV.xmlType, "DAV": DAV.classes, "Cache-Control": "no-store",
            ], body: body)
    }

    /// Writes the part of a multistatus about one resource, if the response is not too large already.
    func write(
        _ selection: PropertySelection, of resource: DAVResource, to writer: inout XMLWriter
    ) {
        guard writer.bytes.count <= DAV.maximumResponseBytes else { return }
        var (found, missing): ([XMLName], [XMLName])
        let isNamesOnly: Bool
        switch selection {
        case .names: (found, missing, isNamesOnly) = (resource.names, [], true)
        case .all(let others):
            (found, missing, isNamesOnly) = (resource.commonNames + others, [], false)
        case .some(let names): (found, missing, isNamesOnly) = (names, [], false)
        }
        writer.begin(.dav("response"))
        writer.href(resource.href)
        writer.begin(.dav("propstat"))
        writer.begin(.dav("prop"))
        for name in found {
            if isNamesOnly {
                writer.empty(name)
            } else if !write(name, of: resource, to: &writer) {
                missing.append(name)
            }
        }
        writer.end()
        writer.element(.dav("status"), text: "HTTP/1.1 200 OK")
        writer.end()
        if !missing.isEmpty, !isMinimal {
            writer.begin(.dav("propstat"))
            writer.element(.dav("prop")) { writer in
                for name in missing { writer.empty(name) }
            }
            writer.element(.dav("status"), text: "HTTP/1.1 404 Not Found")
            writer.end()
        }
        writer.end()
    }

    /// Writes a property. Returns false if the resource does not have it.
    private func write(
        _ name: XMLName, of resource: DAVResource, to writer: inout XMLWriter
    ) -> Bool {
        if case .list(let list) = resource, let value = list.dead[name] {
            writer.element(name) { $0.raw(value) }
            return true
        }
        switch name.namespace {
        case XMLName.dav: return writeDAV(name, of: resource, to: &writer)
        case XMLName.caldav: return writeCalDAV(name, of: resource, to: &writer)
        case XMLName.calendarServer:
            guard name.local == "getctag", case .list(let list) = resource else { return false }
            writer.element(name, text: SyncToken(list.id, list.version, service.epoch).text)
            return true
        default: return false
        }
    }

    private func writeDAV(
        _ name: XMLName, of resource: DAVResource, to writer: inout XMLWriter
    ) -> Bool {
        switch (name.local, resource) {
        case ("resourcetype", _):
            writer.element(name) { writer in
                switch resource {
                case .root, .home: writer.empty(.dav("collection"))
                case .principal:
                    writer.empty(.dav("collection"))
                    writer.empty(.dav("principal"))
                case .list:
                    writer.empty(.dav("collection"))
                    writer.empty(.caldav("calendar"))
                case .task: break
                }
            }
        case ("displayname", .list(let list)):
            writer.element(name, text: list.title.isEmpty ? list.id : list.title)
        case ("displayname", .principal):
            writer.element(name, text: access?.name ?? "reorderd")
        case ("displayname", .root), ("displayname", .home):
            writer.element(name, text: "reorderd")
        case ("current-user-principal", _), ("principal-URL", _), ("owner", _):
            writer.element(name) { $0.href(DAVPath.principal.href) }
        case ("principal-collection-set", _):
            writer.element(name) { $0.href(DAVPath.root.href) }
        case ("current-user-privilege-set", _):
            writer.element(name) { writer in
                for privilege in privileges(on: resource) {
                    writer.element(.dav("privilege")) { $0.empty(privilege) }
                }
            }
        case ("supported-report-set", _):
            writer.element(name) { writer in
                for report in Self.reports(of: resource) {
                    writer.element(.dav("supported-report")) { writer in
                        writer.element(.dav("report")) { $0.empty(report) }
                    }
                }
            }
        case ("sync-token", .list(let list)):
            writer.element(name, text: SyncToken(list.id, list.version, service.epoch).text)
        case ("getetag", .task(let task, _)): writer.element(name, text: task.tag)
        case ("getcontenttype", .task): writer.element(name, text: DAV.calendarType)
        case ("getcontentlength", .task(let task, _)):
            writer.element(name, text: "\(TaskRendering.bytes(of: task).count)")
        case ("creationdate", .list(let list)):
            return write(name, list.times.createdAt.map(Self.timestamp), to: &writer)
        case ("creationdate", .task(let task, _)):
            return write(name, task.content.stamps.createdAt.map(Self.timestamp), to: &writer)
        case ("getlastmodified", .list(let list)):
            return write(name, list.times.updatedAt.map(Self.httpDate), to: &writer)
        case ("getlastmodified", .task(let task, _)):
            return write(name, task.content.stamps.updatedAt.map(Self.httpDate), to: &writer)
        default: return false
        }
        return true
    }

    private func writeCalDAV(
        _ name: XMLName, of resource: DAVResource, to writer: inout XMLWriter
    ) -> Bool {
        switch (name.local, resource) {
        case ("calendar-home-set", .principal), ("calendar-home-set", .root),
            ("calendar-home-set", .home):
            writer.element(name) { $0.href(DAVPath.home.href) }
        case ("calendar-user-address-set", .principal), ("calendar-user-address-set", .root):
            writer.element(name) { $0.href(DAVPath.principal.href) }
        case ("calendar-user-type", .principal): writer.element(name, text: "INDIVIDUAL")
        case ("supported-calendar-component-set", .list),
            ("supported-calendar-component-sets", .home):
            writer.element(name) { $0.empty(.caldav("comp"), [("name", "VTODO")]) }
        case ("supported-calendar-data", .list):
            writer.element(name) {
                $0.empty(
                    .caldav("calendar-data"),
                    [("content-type", "text/calendar"), ("version", "2.0")])
            }
        case ("max-resource-size", .list):
            writer.element(name, text: "\(DAV.maximumResourceBytes)")
        case ("supported-collation-set", .list):
            writer.element(name) { writer in
                for collation in TextMatch.Collation.allCases {
                    writer.element(.caldav("supported-collation"), text: collation.rawValue)
                }
            }
        case ("calendar-data", .task(let task, _)):
            writer.element(name) { $0.text(utf8: TaskRendering.bytes(of: task)) }
        default: return false
        }
        return true
    }

    private func write(_ name: XMLName, _ text: String?, to writer: inout XMLWriter) -> Bool {
        guard let text else { return false }
        writer.element(name, text: text)
        return true
    }

    private func privileges(on resource: DAVResource) -> [XMLName] {
        let mayChange: Bool
        switch resource {
        case .root, .principal: mayChange = false
        case .home: mayChange = access?.grants.include(.write) ?? true
        case .list(let list): mayChange = mayWrite(list.id)
        case .task(_, let list): mayChange = mayWrite(list)
        }
        let reading = ["read", "read-current-user-privilege-set"]
        let writing =
            mayChange ? ["write", "write-properties", "write-content", "bind", "unbind"] : []
        return (reading + writing).map(XMLName.dav)
    }

    private static func reports(of resource: DAVResource) -> [XMLName] {
        switch resource {
        case .list:
            [.caldav("calendar-query"), .caldav("calendar-multiget"), .dav("sync-collection")]
        case .root, .principal:
            [.dav("principal-property-search"), .dav("principal-search-property-set")]
        case .home, .task: []
        }
    }

    private static func timestamp(_ milliseconds: Int64) -> String {
        var writer = JSONWriter()
        writer.time(milliseconds: milliseconds)
        return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    /// RFC 9110, section 5.6.7.
    static func httpDate(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(parts.tm_year + 1_900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
