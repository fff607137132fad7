/// Where a program's JSON has lists, sections and tasks. Paths are those of `JSONTree.values`.
struct JSONProgram {
    /// The lists in the document; empty if it is one list, or an array of lists.
    var lists = [""]
    var list = Names(title: "title")
    var sections = ""
    var section = Names(title: "title")
    /// The tasks of a list, or of a section.
    var tasks = ""
    var isTaskInSection = false
    var task: Names
    /// The member of a task with its section's id.
    var taskSection = ""
    /// Objects in the list with a `task_id` and the task's section or order.
    var places: [String] = []
    /// Subtasks: their path in a task, or in the list, where `itemParent` is the member of the object
    /// around them with the task's id.
    var items = ""
    var item = Names(title: "name")
    var itemParent = ""
    var priorities: [String: Int] = [:]
    /// Whether a due date has no time, although it is written with one.
    var dueIsDay = false

    struct Names {
        var title: String
        var id = "id"
        var order = ""
        /// A member that is true for what the program does not show.
        var hidden = ""
        var parent = ""
        var notes = ""
        var due = ""
        var labels = ""
        var priority = ""
        var url = ""
        var done = ""
        /// The value of `done`, if it is not a truth value or a date.
        var doneValue = ""

        /// The paths of texts.
        var texts: [String] {
            [title, id, order, hidden, parent, notes, due, priority, url, done]
                .filter { !$0.isEmpty }
        }

        /// The first members of the paths.
        var used: Set<String> {
            Set((texts + [labels]).map { String($0.prefix { $0 != "." }) })
        }
    }

    static let trello = JSONProgram(
        list: Names(title: "name"),
        sections: "lists", section: Names(title: "name", order: "pos", hidden: "closed"),
        tasks: "cards",
        task: Names(
            title: "name", order: "pos", hidden: "closed", notes: "desc", due: "due",
            labels: "labels", url: "shortUrl", done: "dueComplete"),
        taskSection: "idList",
        items: "checklists.checkItems",
        item: Names(title: "name", order: "pos", due: "due", done: "state", doneValue: "complete"),
        itemParent: "idCard")

    /// Takeout's `Tasks.json`.
    static let googleTasks = JSONProgram(
        lists: ["items"],
        tasks: "items",
        task: Names(
            title: "title", order: "position", hidden: "deleted", parent: "parent",
            notes: "notes", due: "due", url: "links.link", done: "status", doneValue: "completed"),
        dueIsDay: true)

    /// The lists of Microsoft Graph, with their tasks inside.
    static let microsoftToDo = JSONProgram(
        lists: ["value", "lists", ""], list: Names(title: "displayName"),
        tasks: "tasks",
        task: Names(
            title: "title", notes: "body.content", due: "dueDateTime.dateTime",
            labels: "categories", priority: "importance", url: "linkedResources.webUrl",
            done: "status", doneValue: "completed"),
        items: "checklistItems", item: Names(title: "displayName", done: "isChecked"),
        priorities: ["high": 1, "low": 3], dueIsDay: true)

    /// The `data.json` of an export.
    static let vikunja = JSONProgram(
        list: Names(title: "title", hidden: "is_archived"),
        sections: "buckets", section: Names(title: "title", order: "position"),
        tasks: "tasks",
        task: Names(
            title: "title", order: "position", parent: "related_tasks.parenttask.id",
            notes: "description", due: "due_date", labels: "labels", priority: "priority",
            done: "done"),
        taskSection: "bucket_id", places: ["positions", "task_buckets"],
        priorities: ["1": 3, "2": 2, "3": 1, "4": 1, "5": 1])

    static let deck = JSONProgram(
        lists: ["boards", ""], list: Names(title: "title", hidden: "archived"),
        sections: "stacks", section: Names(title: "title", order: "order", hidden: "deletedAt"),
        tasks: "cards", isTaskInSection: true,
        task: Names(
            title: "title", order: "order", hidden: "archived", notes: "description",
            due: "duedate", labels: "labels", done: "done"))
}
