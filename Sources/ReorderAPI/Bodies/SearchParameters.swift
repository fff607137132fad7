import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

/// The query parameters of pages of tasks.
extension Request {
    /// The number of items in a page if `limit` is omitted, and the maximum.
    static let defaultPage = 100
    static let maximumPage = 1_000
    /// The maximum number of ids in a query.
    static let maximumIDs = 100
    /// The maximum number of filters in a query, and of bytes of each.
    static let maximumFilters = 10
    static let maximumFilterBytes = 512

    func pageLimit() throws(Problem) -> Int {
        try number("limit", in: 1...Self.maximumPage, default: Self.defaultPage)
    }

    func taskFilter() throws(Problem) -> TaskFilter {
        TaskFilter(
            isDone: try optionalFlag("done"), title: try titleQuery(),
            updatedSince: try updatedSince(), data: try dataFilters())
    }

    private func updatedSince() throws(Problem) -> Int64? {
        guard let text = query["updatedSince"] else { return nil }
        guard let time = Timestamp.parse(text) else {
            throw Problem(
                .invalidQuery,
                "The parameter updatedSince must be a time in RFC 3339 format, such as "
                    + "2026-11-21T10:31:25Z. In a query, write + as %2B.")
        }
        return time
    }

    private func dataFilters() throws(Problem) -> [DataFilter] {
        let texts = query.pairs.filter { $0.name == "filter" }.map(\.value)
        guard texts.count <= Self.maximumFilters,
            texts.allSatisfy({ (1...Self.maximumFilterBytes).contains($0.utf8.count) })
        else {
            throw Problem(
                .invalidQuery,
                "A query can have \(Self.maximumFilters) parameters filter, each of 1 to "
                    + "\(Self.maximumFilterBytes) bytes of UTF-8.")
        }
        var filters: [DataFilter] = []
        for (index, text) in texts.enumerated() {
            do {
                filters.append(try DataFilter(text))
            } catch {
                throw Problem(
                    .invalidQuery, "Parameter filter \(index + 1) is not valid. \(error.reason)")
            }
        }
        return filters
    }

    func dataOrder() throws(Problem) -> DataOrder? {
        guard let text = query["order"] else { return nil }
        guard text.utf8.count <= Self.maximumFilterBytes else {
            throw Problem(
                .invalidQuery,
                "The parameter order can have \(Self.maximumFilterBytes) bytes of UTF-8.")
        }
        do {
            return try DataOrder(text)
        } catch {
            throw Problem(
                .invalidQuery,
                "The parameter order is not a path, with - before it for descending values. "
                    + error.reason)
        }
    }

    private func titleQuery() throws(Problem) -> TitleQuery? {
        guard let text = query["q"] else { return nil }
        guard (1...TitleQuery.maximumBytes).contains(text.utf8.count) else {
            throw Problem(
                .invalidQuery,
                "The parameter q must have 1 to \(TitleQuery.maximumBytes) bytes of UTF-8.")
        }
        return TitleQuery(text)
    }

    /// The parameters `section`, `parent` and `visible`. An empty `section` means no section, and an
    /// empty `parent` the top level.
    func taskScope() throws(Problem) -> TaskScope {
        let section = query["section"].map { $0.isEmpty ? nil : Identifier.lookup($0) }
        var scope = TaskScope(section.map { .section($0) } ?? .list)
        scope.isVisibleOnly = try flag("visible")
        guard let parent = query["parent"] else { return scope }
        scope.isTopOnly = true
        guard !parent.isEmpty else { return scope }
        guard section == nil else {
            throw Problem(
                .invalidQuery,
                "Send either section or parent: subtasks are in the section of their parent. "
                    + "With section, parent can only be empty.")
        }
        scope.root = .subtasks(of: Identifier.lookup(parent))
        return scope
    }

    /// - Parameter isOfMany: whether the member `list` exists.
    func taskFields(ofManyLists isOfMany: Bool) throws(Problem) -> TaskFields {
        guard let text = query["fields"] else { return .all }
        let allowed = TaskFields.Field.allCases.filter { isOfMany || $0 != .list }
        var fields: Set<TaskFields.Field> = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let field = TaskFields.Field(rawValue: String(name)), allowed.contains(field)
            else {
                throw Problem(
                    .invalidQuery,
                    "The parameter fields must be names of members, separated by commas: "
                        + allowed.map(\.rawValue).joined(separator: ", ") + ".")
            }
            fields.insert(field)
        }
        return TaskFields(fields)
    }

    /// The ids in the parameter `ids`, in the order of the query without repetitions.
    func ids() throws(Problem) -> [String]? {
        guard let text = query["ids"] else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= Self.maximumIDs, names.allSatisfy(Identifier.isValid) else {
            throw Problem(
                .invalidQuery,
                "The parameter ids must be 1 to \(Self.maximumIDs) ids, separated by commas.")
        }
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    func itemCursor(_ tags: EntityTags) throws(Problem) -> ItemCursor? {
        guard let text = try cursorWithoutFolds() else { return nil }
        guard let cursor = ItemCursor(text, tags) else { throw Self.invalidCursor }
        return cursor
    }

    /// The cursor of a page with `order`.
    func orderCursor(of order: DataOrder, _ tags: EntityTags) throws(Problem) -> OrderCursor? {
        guard let text = try cursorWithoutFolds() else { return nil }
        guard let cursor = OrderCursor(text, of: order, tags) else { throw Self.invalidCursor }
        return cursor
    }

    /// The rows of a page depend on the folds, so its cursor names them.
    private func cursorWithoutFolds() throws(Problem) -> Substring? {
        guard let text = query["cursor"] else { return nil }
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard (parts.count == 2 ? String(parts[0]) : nil) == query["folds"] else {
            throw Problem(
                .invalidQuery,
                "The cursor is of a page with another value of the parameter folds. Send the same "
                    + "value, or begin again without cursor.")
        }
        return parts[parts.count - 1]
    }

    func searchCursor(_ tags: EntityTags) throws(Problem) -> SearchCursor? {
        guard let text = query["cursor"] else { return nil }
        guard let cursor = SearchCursor(text, tags) else { throw Self.invalidCursor }
        return cursor
    }

    private static let invalidCursor = Problem(
        .invalidQuery,
        "The cursor is invalid. Use the cursor of the page before, with the same parameter order.")
}

extension ItemCursor {
    /// The token of the version, and the ids, separated by commas. Clients must not interpret it.
    ///
    /// - Parameter folds: the list of folds; its id and `@` precede the token.
    func text(_ tags: EntityTags, folds: String? = nil) -> String {
        (folds.map { $0 + "@" } ?? "") + ([tags.token(version)] + items).joined(separator: ",")
    }

    /// Returns nil if the text has another form. The version in a text of another epoch is `Int.max`,
    /// which no list has.
    init?(_ text: Substring, _ tags: EntityTags) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let items = parts.dropFirst().map(String.init)
        guard let version = tags.version(ofToken: parts[0]),
            (1...Self.maximumCount).contains(items.count), items.allSatisfy(Identifier.isValid)
        else { return nil }
        self.init(version: version, items: items)
    }
}

extension SearchCursor {
    /// The list's id; if the page ended in the list, a comma and the text of the cursor follow.
    func text(_ tags: EntityTags) -> String {
        list + (cursor.map { "," + $0.text(tags) } ?? "")
    }

    init?(_ text: String, _ tags: EntityTags) {
        let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        let list = parts.first.map(String.init) ?? ""
        guard Identifier.isValid(list) else { return nil }
        var cursor: ItemCursor?
        if parts.count == 2 {
            cursor = ItemCursor(parts[1], tags)
            guard cursor != nil else { return nil }
        }
        self.init(list: list, cursor: cursor)
    }
}
