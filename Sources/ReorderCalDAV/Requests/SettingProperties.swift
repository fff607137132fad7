import MicroHTTP
import ReorderAPI
import ReorderEngine
import ReorderJSON
import ReorderService

/// Changes of the properties of a calendar.
struct PropertyChanges: Sendable {
    /// nil keeps the title.
    private(set) var title: String?
    private(set) var others: [(name: XMLName, value: String?)] = []
    /// All names, in order.
    private(set) var names: [XMLName] = []
    /// Those that can't be changed.
    private(set) var refused: Set<XMLName> = []
    /// The components that a new calendar is to have; nil if the client does not say.
    private(set) var components: [String]?
    private(set) var isCalendar = false

    /// - Parameter isNew: whether the calendar is created: then properties that do not change can be set too.
    init(_ element: XMLElement?, isNew: Bool) throws(DAVError) {
        for update in element?.children ?? [] {
            let isRemoval = update.name == .dav("remove")
            guard isRemoval || update.name == .dav("set") else { continue }
            for property in update.child(.dav("prop"))?.children ?? [] {
                guard names.count < DAV.maximumProperties else { throw .tooManyProperties }
                names.append(property.name)
                add(property, isRemoval, isNew)
            }
        }
    }

    private mutating func add(_ property: XMLElement, _ isRemoval: Bool, _ isNew: Bool) {
        switch property.name {
        case .dav("displayname") where !isRemoval: title = property.text
        case .dav("resourcetype") where isNew:
            isCalendar = property.child(.caldav("calendar")) != nil
        case .caldav("supported-calendar-component-set") where isNew:
            components = property.children.compactMap { $0.attribute("name")?.uppercased() }
        case .caldav("calendar-description"), .caldav("calendar-timezone"),
            .caldav("calendar-timezone-id"):
            set(property, isRemoval)
        case let name
        where [XMLName.dav, XMLName.caldav].contains(name.namespace)
            || name == XMLName(XMLName.calendarServer, "getctag"):
            refused.insert(name)
        default: set(property, isRemoval)
        }
    }

    private mutating func set(_ property: XMLElement, _ isRemoval: Bool) {
        var writer = XMLWriter()
        for node in property.content {
            switch node {
            case .text(let text): writer.text(text)
            case .element(let child): writer.copy(child)
            }
        }
        others.removeAll { $0.name == property.name }
        others.append(
            (property.name, isRemoval ? nil : String(decoding: writer.bytes, as: UTF8.self)))
    }

    /// The change of the list's settings; nil if the properties are too large.
    func update(of data: String?) -> SettingsUpdate? {
        guard title?.utf8.count ?? 0 <= FormLimits.titleBytes else { return nil }
        var update = SettingsUpdate(title: title)
        guard !others.isEmpty else { return update }
        let patch = StoredProperties.patch(others)
        guard data.map({ $0.utf8.first == UInt8(ascii: "{") }) ?? true,
            let merged = try? MergePatch.apply(patch, to: data), FormLimits.allowsData(merged)
        else { return nil }
        update.data = .set(patch)
        return update
    }
}

extension CalendarRequest {
    // MARK: PROPPATCH

    func setProperties() throws -> Job {
        guard let element = try body, element.name == .dav("propertyupdate") else {
            throw DAVError(400, "The body must be a propertyupdate element.")
        }
        let changes = try PropertyChanges(element, isNew: false)
        guard case .list(let list) = path else {
            guard case .task(let list, let name) = path else {
                return try respond(to: changes, refusing: Set(changes.names))
            }
            return try read(list, showsKeys: false) { [self] collection in
                guard collection.task(named: name) != nil else { throw DAVError.notFound }
                return try respond(to: changes, refusing: Set(changes.names))
            }
        }
        return try change(list) { [self] collection, _ in
            guard let collection else { throw DAVError.notFound }
            guard changes.refused.isEmpty else {
                return .respond(try answer(to: changes, refusing: changes.refused))
            }
            guard let update = changes.update(of: collection.list.settings.data) else {
                return .respond(
                    try answer(to: changes, refusing: Set(changes.names), isFull: true)
                )
            }
            guard !update.isEmpty else { return .respond(try answer(to: changes, refusing: [])) }
            return .write(.command(.settings(update))) { [self] _ in
                try respond(to: changes, refusing: [])
            }
        }
    }

    private func respond(
        to changes: PropertyChanges, refusing refused: Set<XMLName>
    ) throws(DAVError) -> Job {
        .respond(try answer(to: changes, refusing: refused))
    }

    /// If one property is refused, none is changed.
    ///
    /// - Parameter isFull: whether they are refused because they are too large.
    private func answer(
        to changes: PropertyChanges, refusing refused: Set<XMLName>, isFull: Bool = false
    ) throws(DAVError) -> Response {
        try multistatus { writer in
            writer.element(.dav("response")) { writer in
                writer.href(path.href)
                writeResults(of: changes, refusing: refused, isFull: isFull, to: &writer)
            }
        }
    }

    private func writeResults(
        of changes: PropertyChanges, refusing refused: Set<XMLName>, isFull: Bool = false,
        to writer: inout XMLWriter
    ) {
        let others = refused.isEmpty ? "200 OK" : "424 Failed Dependency"
        let refusal = isFull ? "507 Insufficient Storage" : "403 Forbidden"
        for (names, status) in [
            (changes.names.filter { !refused.contains($0) }, others),
            (changes.names.filter { refused.contains($0) }, refusal),
        ] where !names.isEmpty {
            writer.element(.dav("propstat")) { writer in
                writer.element(.dav("prop")) { writer in
                    for name in names { writer.empty(name) }
                }
                writer.element(.dav("status"), text: "HTTP/1.1 \(status)")
                if status == "403 Forbidden" {
                    writer.element(.dav("error")) {
                        $0.empty(.dav("cannot-modify-protected-property"))
                    }
                }
            }
        }
    }

    // MARK: MKCALENDAR and MKCOL

    /// Creates a list.
    ///
    /// - Parameter isCalendar: whether the method says that it is a calendar.
    func createList(_ list: String, isCalendar: Bool) throws -> Job {
        guard Identifier.isValid(list) else { throw DAVError(403, Identifier.rule) }
        let element = try body
        let name: XMLName = isCalendar ? .caldav("mkcalendar") : .dav("mkcol")
        guard element.map({ $0.name == name }) ?? true else {
            throw DAVError(isCalendar ? 400 : 415, "The body must be a \(name.local) element.")
        }
        let changes = try PropertyChanges(element, isNew: true)
        guard isCalendar || changes.isCalendar else {
            throw DAVError(
                403, .dav("valid-resourcetype"), "Only calendars can be created here.")
        }
        if let components = changes.components, !components.contains("VTODO") {
            throw DAVError(
                403, .caldav("supported-calendar-component"),
                "A calendar here has tasks (VTODO).")
        }
        guard changes.refused.isEmpty, let update = changes.update(of: nil) else {
            return .respond(refusal(to: changes, isCalendar))
        }
        return try change(list) { collection, _ in
            guard collection == nil else {
                guard isCalendar else { throw DAVError(405, "The calendar already exists.") }
                throw DAVError(
                    403, .dav("resource-must-be-null"), "The calendar already exists.")
            }
            var settings = ListSettings(title: update.title ?? list)
            settings.data = try update.data?.data.map { try MergePatch.apply($0, to: nil) }
            return .write(.create(ReorderableList(settings: settings))) { _ in
                .respond(Response(status: 201, headers: ["Cache-Control": "no-store"]))
            }
        }
    }

    private func refusal(to changes: PropertyChanges, _ isCalendar: Bool) -> Response {
        let isFull = changes.refused.isEmpty
        let refused = isFull ? Set(changes.names) : changes.refused
        let name: XMLName =
            isCalendar ? .caldav("mkcalendar-response") : .dav("mkcol-response")
        var response = Response(
            status: isFull ? 507 : 403, headers: ["Content-Type": DAV.xmlType],
            body: XMLWriter.document(name) { writer in
                writeResults(of: changes, refusing: refused, isFull: isFull, to: &writer)
            })
        response.refusal = "caldav_\(response.status)"
        return response
    }
}
