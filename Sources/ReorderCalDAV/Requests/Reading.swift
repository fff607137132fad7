import MicroHTTP
import ReorderAPI
import ReorderEngine
import ReorderService
import ReorderStore
import ReorderWebhooks

extension CalendarRequest {
    func getTask(named name: String, of list: String) throws -> Job {
        try read(list, isShort: { $0.plainTask(named: name) != nil }) { collection in
            guard let task = collection.task(named: name) else { throw DAVError.notFound }
            let response = Response(
                status: 200,
                headers: [
                    "Content-Type": DAV.calendarType, "ETag": task.tag, "Cache-Control": "no-cache",
                ], body: TaskRendering.bytes(of: task))
            // A compressed form would have another tag than the one that properties show.
            return .respond(response.coded(nil))
        }
    }

    /// For people who open the address in a browser.
    func getCollection() throws -> Job {
        let response = Response(
            status: 200,
            headers: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-cache"],
            body: Array("This address is for apps that use CalDAV.\n".utf8))
        guard case .list(let list) = path else { return .respond(response) }
        return try read(list, showsKeys: false) { _ in .respond(response) }
    }

    // MARK: PROPFIND

    func findProperties() throws -> Job {
        let element = try body
        guard element.map({ $0.name == .dav("propfind") }) ?? true else {
            throw DAVError(400, "The body must be a propfind element.")
        }
        let selection = try PropertySelection(element)
        guard let depth = try depth else {
            throw DAVError(
                403, .dav("propfind-finite-depth"), "Depth must be 0 or 1.")
        }
        switch path {
        case .root: return try respond([.root] + (depth > 0 ? [.principal, .home] : []), selection)
        case .principal: return try respond([.principal], selection)
        case .home:
            return try depth == 0 ? respond([.home], selection) : findLists(selection)
        case .list(let list):
            let showsVersion = selection.contains { ["getctag", "sync-token"].contains($0.local) }
            return try read(list, showsKeys: depth > 0 || showsVersion) { [self] collection in
                let tasks =
                    depth == 0
                    ? [] : collection.tasks.map { DAVResource.task($0, list: collection.id) }
                return try respond([.list(ListResource(collection))] + tasks, selection)
            }
        case .task(let list, let name):
            return try read(list, isShort: { $0.plainTask(named: name) != nil }) {
                [self] collection in
                guard let task = collection.task(named: name) else { throw DAVError.notFound }
                return try respond([.task(task, list: list)], selection)
            }
        }
    }

    func respond(
        _ resources: [DAVResource], _ selection: PropertySelection
    ) throws(DAVError) -> Job {
        .respond(
            try multistatus { writer in
                for resource in resources { write(selection, of: resource, to: &writer) }
            })
    }

    /// More lists are left out.
    private static let maximumLists = 1_000

    /// The home collection and all lists.
    private func findLists(_ selection: PropertySelection) -> Job {
        let runs = readableLists.ranges(after: nil)
        // Only these do not need the lists themselves.
        let isSummary = !selection.contains { name in
            !Self.summaryProperties.contains(name)
        }
        var isShort = isSummary
        if case .all = selection { isShort = false }
        let needsLists = !isShort
        return .wait(
            for: { [service] in
                service.index(of: runs, after: nil, limit: Self.maximumLists, $0)
            }
        ) { [self] page in
            let lists = page.lists
            guard needsLists else {
                return try respond(
                    [.home]
                        + lists.map {
                            .list(ListResource(id: $0.id, title: $0.title, version: $0.version))
                        }, selection)
            }
            return try read(lists.map(\.id)[...], [], selection)
        }
    }

    private static let summaryProperties = Set(
        [
            "resourcetype", "displayname", "current-user-principal", "current-user-privilege-set",
            "owner", "sync-token", "supported-report-set", "principal-URL",
        ].map(XMLName.dav) + [
            .caldav("supported-calendar-component-set"), .caldav("calendar-home-set"),
            XMLName(XMLName.calendarServer, "getctag"),
        ])

    /// Reads lists one after another.
    private func read(
        _ ids: ArraySlice<String>, _ found: [ListResource], _ selection: PropertySelection
    ) throws -> Job {
        guard let id = ids.first else {
            return try respond([.home] + found.map { .list($0) }, selection)
        }
        return .wait(for: { [service] in service.versionedListIfAny(of: id, $0) }) { [self] list in
            let resource = list.map {
                ListResource(id: id, $0.list.settings, version: $0.version, $0.list.times)
            }
            return try read(ids.dropFirst(), found + (resource.map { [$0] } ?? []), selection)
        }
    }
}
