import ReorderEngine
import ReorderJSON

/// A list without its tasks.
struct ListResource: Sendable {
    let id: String
    let title: String
    let version: Int
    var times = ListTimes()
    /// The properties that clients set, as XML.
    var dead: [XMLName: String] = [:]

    init(_ collection: CalendarCollection) {
        self.init(
            id: collection.id, collection.list.settings, version: collection.version,
            collection.list.times)
    }

    init(id: String, _ settings: ListSettings, version: Int, _ times: ListTimes) {
        self.init(id: id, title: settings.title, version: version)
        self.times = times
        dead = StoredProperties(data: settings.data).values
    }

    init(id: String, title: String, version: Int) {
        self.id = id
        self.title = title
        self.version = version
    }
}

/// The properties of a calendar that clients set: the member `caldav` of the list's `data`.
struct StoredProperties: Sendable {
    /// The content of each property, as XML.
    var values: [XMLName: String] = [:]

    init() {}

    init(data: String?) {
        guard let data, data.utf8.firstRange(of: #""caldav""#.utf8) != nil,
            let text = try? JSONText(checking: Array(data.utf8))
        else { return }
        var reader = JSONReader(text)
        guard (try? reader.beginObject()) != nil else { return }
        while let name = reader.nextMember() {
            guard "caldav" ~= name, reader.peek == .object, (try? reader.beginObject()) != nil
            else { continue }
            while reader.nextMember() != nil {
                let member = reader.memberName
                guard let name = XMLName(stored: member), let value = try? reader.readString(),
                    Self.isContent(value, of: name)
                else { continue }
                values[name] = value
            }
        }
    }

    /// Clients of the API can write the member too: whether the responses with the property are XML.
    private static func isContent(_ value: String, of name: XMLName) -> Bool {
        let document = XMLWriter.document(name) { $0.raw(value) }
        return (try? XMLReader.read(document))?.name == name
    }

    /// The merge patch of the list's `data` that sets the properties; nil removes one.
    static func patch(_ changes: [(name: XMLName, value: String?)]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("caldav")
        writer.beginObject()
        for (name, value) in changes {
            writer.name(escaping: name.stored)
            writer.stringOrNull(value)
        }
        writer.endObject()
        writer.endObject()
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
}

/// A resource whose properties are read.
enum DAVResource: Sendable {
    case root
    case principal
    case home
    case list(ListResource)
    case task(CalendarTask, list: String)

    var href: String {
        switch self {
        case .root: DAVPath.root.href
        case .principal: DAVPath.principal.href
        case .home: DAVPath.home.href
        case .list(let list): DAVPath.list(list.id).href
        case .task(let task, let list): DAVPath.task(list: list, name: task.name).href
        }
    }

    /// The properties that clients get without naming them.
    var commonNames: [XMLName] {
        switch self {
        case .root, .principal, .home:
            ["resourcetype", "displayname"].map(XMLName.dav)
        case .list(let list):
            ["resourcetype", "displayname", "creationdate", "getlastmodified"].map(XMLName.dav)
                + list.dead.keys.sorted { $0.stored < $1.stored }
        case .task:
            [
                "resourcetype", "getetag", "getcontenttype", "getcontentlength", "creationdate",
                "getlastmodified",
            ].map(XMLName.dav)
        }
    }

    /// The names of all properties.
    var names: [XMLName] {
        let others: [XMLName] =
            switch self {
            case .root, .home: [.dav("current-user-principal"), .dav("current-user-privilege-set")]
            case .principal:
                [
                    .dav("current-user-principal"), .dav("principal-URL"),
                    .caldav("calendar-home-set"), .caldav("calendar-user-address-set"),
                ]
            case .list:
                [
                    .dav("current-user-principal"), .dav("owner"),
                    .dav("current-user-privilege-set"), .dav("supported-report-set"),
                    .dav("sync-token"), .caldav("supported-calendar-component-set"),
                    .caldav("supported-calendar-data"), .caldav("max-resource-size"),
                    .caldav("supported-collation-set"),
                    XMLName(XMLName.calendarServer, "getctag"),
                ]
            case .task: [.dav("owner"), .dav("current-user-privilege-set")]
            }
        return commonNames + others
    }
}

/// The properties that a request asks for.
enum PropertySelection: Sendable {
    /// The common ones and these.
    case all(and: [XMLName])
    case names
    case some([XMLName])

    /// Reads `propfind`, or a report with the same elements.
    init(_ element: XMLElement?) throws(DAVError) {
        if let properties = element?.child(.dav("prop")) {
            self = .some(try Self.names(properties))
        } else if element?.child(.dav("propname")) != nil {
            self = .names
        } else {
            self = .all(and: try element?.child(.dav("include")).map(Self.names) ?? [])
        }
    }

    private static func names(_ element: XMLElement) throws(DAVError) -> [XMLName] {
        guard element.children.count <= DAV.maximumProperties else { throw .tooManyProperties }
        var known: Set<XMLName> = []
        return element.children.map(\.name).filter { known.insert($0).inserted }
    }

    func contains(_ isWanted: (XMLName) -> Bool) -> Bool {
        switch self {
        case .all(let others): others.contains(where: isWanted)
        case .names: false
        case .some(let names): names.contains(where: isWanted)
        }
    }
}
