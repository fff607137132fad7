import ReorderEngine
import ReorderImportExport
import ReorderJSON

/// What a task and a VTODO both can say. Two of them are compared to find what differs.
struct TaskMeaning: Equatable {
    var uid: String
    var title = ""
    var isDone = false
    /// The UID of the parent.
    var parent: String?
    /// The sort key: smaller ones come first.
    var order: Int?
    /// Whether a text has the sort key, so that it is not taken from another property.
    private(set) var hasOrder = false
    var isCollapsed = false
    var notes = ""
    var due = ""
    var labels: [String] = []
    /// 1 (highest) to 3.
    var priority: Int?
    var url = ""

    /// Of a task.
    ///
    /// - Parameter parent: the UID of the parent.
    init(_ content: TaskContent, uid: String, parent: String?, order: Int?) {
        let shared = SourceTask(content)
        self.uid = uid
        title = Self.normal(shared.title)
        isDone = content.done
        self.parent = parent
        self.order = order
        isCollapsed = content.collapsed
        notes = Self.normal(shared.notes)
        due = shared.due
        labels = Self.shared(shared.labels)
        priority = shared.priority
        url = shared.url
    }

    /// Of a text. Its `order` is the sort key that the client set, or that clients use without one: when the
    /// task was created.
    init(_ text: CalendarText) {
        uid = text.uid
        var created: ICSProperty?
        var (hasStatus, percentage, hasTime) = (false, "", false)
        for line in text.properties(of: text.master) {
            guard let role = Role(rawValue: text.lines[line].name),
                let property = text.property(line)
            else { continue }
            switch role {
            case .title: title = Self.normal(property.text)
            case .status:
                hasStatus = true
                isDone = ["COMPLETED", "CANCELLED"].contains(
                    property.value.trimmingBlanks().uppercased())
            case .percentage: percentage = property.value.trimmingBlanks()
            case .completed: hasTime = true
            case .parent:
                if property.isParent, parent == nil, !property.text.isEmpty {
                    parent = property.text
                }
            case .order: order = Self.key(property.value)
            case .created: created = property
            case .collapsed: isCollapsed = property.value.trimmingBlanks() == "1"
            case .notes: notes = Self.normal(property.text)
            case .due: due = property.due ?? ""
            case .labels: labels += property.texts
            case .priority: priority = property.priority
            case .url: url = SourceTask.isAddress(property.value) ? property.value : ""
            }
        }
        if !hasStatus { isDone = hasTime || percentage == "100" }
        labels = Self.shared(labels)
        hasOrder = order != nil
        order = order ?? created?.due.flatMap(Timestamp.parse).map(OrderKey.at)
    }

    /// The properties that both can say, by their names.
    enum Role: String {
        case title = "SUMMARY"
        case status = "STATUS"
        case percentage = "PERCENT-COMPLETE"
        case completed = "COMPLETED"
        case parent = "RELATED-TO"
        case order = "X-APPLE-SORT-ORDER"
        case created = "CREATED"
        case collapsed = "X-OC-HIDESUBTASKS"
        case notes = "DESCRIPTION"
        case due = "DUE"
        case labels = "CATEGORIES"
        case priority = "PRIORITY"
        case url = "URL"
    }

    static func == (one: TaskMeaning, other: TaskMeaning) -> Bool {
        one.differences(from: other).isEmpty
    }

    /// The roles in which they differ, in the order of a new text.
    func differences(from other: TaskMeaning) -> [Role] {
        var roles: [Role] = []
        if !isSame(title, other.title) { roles.append(.title) }
        if !isSame(notes, other.notes) { roles.append(.notes) }
        if due != other.due { roles.append(.due) }
        if !labels.elementsEqual(other.labels, by: isSame) { roles.append(.labels) }
        if priority != other.priority { roles.append(.priority) }
        if !isSame(url, other.url) { roles.append(.url) }
        if isDone != other.isDone { roles.append(.status) }
        if parent != other.parent { roles.append(.parent) }
        if order != other.order { roles.append(.order) }
        if isCollapsed != other.isCollapsed { roles.append(.collapsed) }
        return roles
    }

    /// By bytes.
    private func isSame(_ one: String, _ other: String) -> Bool {
        one.hasBytes(of: other)
    }

    /// A text as iCalendar can represent it.
    private static func normal(_ text: String) -> String {
        let text = text.withoutControls
        guard text.utf8.contains(0x0D) else { return text }
        return text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }

    /// The labels as tasks share them: at most 20 different ones, of at most 60 characters.
    private static func shared(_ labels: [String]) -> [String] {
        var shared: [String] = []
        for label in labels {
            let parts = normal(label).split(separator: "\n").map { String($0).trimmingBlanks() }
            let label = parts.filter { !$0.isEmpty }.joined(separator: " ")
            guard !label.isEmpty, label.count <= 60, shared.count < 20, !shared.contains(label)
            else {
                continue
            }
            shared.append(label)
        }
        return shared
    }

    private static func key(_ text: String) -> Int? {
        OrderKey.valid(Int(text.trimmingBlanks()))
    }
}
