import MicroHTTP
import ReorderAPI
import ReorderEngine
import ReorderService

extension CalendarRequest {
    func report(on list: String) throws -> Job {
        guard let element = try body else { throw DAVError(400, "A report needs a body.") }
        let selection = try PropertySelection(element)
        switch element.name {
        case .caldav("calendar-query"):
            let filter = try CalendarFilter(element.child(.caldav("filter")))
            return try read(list, looks: filter.conditions) { [self] collection in
                let tasks = collection.tasks.filter { filter.matches($0) }
                return try respond(tasks.map { .task($0, list: list) }, selection)
            }
        case .caldav("calendar-multiget"):
            let references = element.children.filter { $0.name == .dav("href") }.map(\.text)
            return try read(list, looks: 1 + references.count / 32) { [self] collection in
                try respond(references, selection, collection)
            }
        case .dav("sync-collection"):
            return try synchronize(list, try SyncRequest(element), selection)
        default: throw Self.unsupportedReport
        }
    }

    private static let unsupportedReport = DAVError(
        403, .dav("supported-report"), "This resource does not have the report.")

    /// There is one principal, which has no properties to search for.
    func reportPrincipals() throws -> Job {
        guard let element = try body else { throw DAVError(400, "A report needs a body.") }
        switch element.name {
        case .dav("principal-property-search"): return .respond(try multistatus { _ in })
        case .dav("principal-search-property-set"):
            return .respond(
                Response(
                    status: 200, headers: ["Content-Type": DAV.xmlType],
                    body: XMLWriter.document(.dav("principal-search-property-set")) { _ in }))
        default: throw Self.unsupportedReport
        }
    }

    /// Responds in the order of the list: some apps show tasks in the order in which they get them.
    private func respond(
        _ references: [String], _ selection: PropertySelection, _ collection: CalendarCollection
    ) throws(DAVError) -> Job {
        var found: [CalendarTask] = []
        var missing: [String] = []
        for reference in references {
            if case .task(collection.id, let name)? = DAVPath(reference: reference),
                let task = collection.task(named: name)
            {
                found.append(task)
            } else {
                missing.append(reference.trimmingBlanks())
            }
        }
        let tasks = collection.ordered(found)
        return .respond(
            try multistatus { writer in
                for task in tasks {
                    write(selection, of: .task(task, list: collection.id), to: &writer)
                }
                for reference in missing { writer.missing(reference) }
            })
    }
}

extension XMLWriter {
    /// The part of a multistatus about a resource that does not exist.
    mutating func missing(_ href: String) {
        element(.dav("response")) { writer in
            writer.href(href)
            writer.element(.dav("status"), text: "HTTP/1.1 404 Not Found")
        }
    }
}
