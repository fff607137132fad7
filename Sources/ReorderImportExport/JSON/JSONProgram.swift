/// Where a program's JSON has lists, sections and tasks. Paths are those of `JSONTree.values`.
struct JSONProgram {
    /// The lists in the document; the empty path is the document, or each element of its array.
    var lists = [""]
    var list: [TableRole: String] = [.title: "title", .id: "id"]
    var sections = ""
    var section: [TableRole: String] = [.title: "title", .id: "id"]
    /// The tasks of a list, or of a section. Several paths have spaces between them.
    var tasks = "tasks"
    var isTaskInSection = false
    /// Several paths of one meaning have spaces between them.
    var task: [TableRole: String]
    /// The member that is true for sections and tasks that the program does not show.
    var hidden = ""
    /// Objects in the list with a `task_id` and the task's section or order.
    var places: [String] = []
    /// Subtasks inside a task.
    var items = ""
    /// Subtasks outside their tasks: groups, the member of a group with its task's id, and the
    /// subtasks in a group.
    var groups: (path: String, task: String, items: String)?
    var item: [TableRole: String] = [:]
    var words: ProgramWords = [:]
    var due = DueForm.time

    /// What a due date that is written with a time means.
    enum DueForm {
        case time
        /// A day if it is midnight in UTC.
        case timeOrDay
        /// A day, written as its midnight in any time zone.
        case day
    }

    static let trello = JSONProgram(
        list: [.title: "name", .id: "id"],
        sections: "lists", section: [.title: "name", .id: "id", .order: "pos"],
        tasks: "cards",
        task: [
            .title: "name", .id: "id", .section: "idList", .order: "pos", .notes: "desc",
            .due: "due", .labels: "labels", .url: "shortUrl", .done: "dueComplete",
        ],
        hidden: "closed", groups: ("checklists", "idCard", "checkItems"),
        item: [.title: "name", .id: "id", .order: "pos", .due: "due", .done: "state"])

    /// Takeout's `Tasks.json`.
    static let googleTasks = JSONProgram(
        lists: ["items", ""],
        tasks: "items",
        task: [
            .title: "title", .id: "id", .order: "position", .parent: "parent", .notes: "notes",
            .due: "due scheduled_time.start", .url: "links.link", .done: "status",
        ],
        hidden: "deleted", due: .timeOrDay)

    /// The lists of Microsoft Graph with their tasks inside, or the tasks of one list.
    static let microsoftToDo = JSONProgram(
        lists: ["value", "lists", ""], list: [.title: "displayName", .id: "id"],
        tasks: "tasks value",
        task: [
            .title: "title", .id: "id", .notes: "body.content", .due: "dueDateTime.dateTime",
            .labels: "categories", .priority: "importance", .url: "linkedResources.webUrl",
            .done: "status",
        ],
        items: "checklistItems",
        item: [.title: "displayName", .id: "id", .done: "isChecked"], due: .day)

    /// The `data.json` of an export. Before version 0.21, projects were in namespaces.
    static let vikunja = JSONProgram(
        lists: ["projects", "lists", ""],
        sections: "buckets", section: [.title: "title", .id: "id", .order: "position"],
        task: [
            .title: "title", .id: "id", .section: "bucket_id", .order: "position",
            .parent: "related_tasks.parenttask.id", .notes: "description comments.comment",
            .due: "due_date", .labels: "labels", .priority: "priority", .done: "done",
        ],
        hidden: "is_archived", places: ["positions", "task_buckets"],
        words: [.priority: ["1": "low", "2": "medium", "3": "high", "4": "high", "5": "high"]])

    static let deck = JSONProgram(
        lists: ["boards", ""],
        sections: "stacks", section: [.title: "title", .id: "id", .order: "order"],
        tasks: "cards", isTaskInSection: true,
        task: [
            .title: "title", .id: "id", .order: "order", .notes: "description comments.message",
            .due: "duedate", .labels: "labels", .done: "done",
        ],
        hidden: "archived deletedAt")
}
