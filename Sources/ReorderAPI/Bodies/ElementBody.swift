import ReorderEngine
import ReorderJSON
import ReorderService

/// An element of a table view: `{"id","list","position","subtask","hidesubtasks","title"}`.
///
/// Some apps store and send numbers as text, others send the parent `"0"` as a number. So `position`,
/// `hidesubtasks` and that value of `subtask` are numbers or strings of digits.
struct ElementBody {
    /// The value of `subtask` for a task without a parent.
    static let noParent = "0"

    private(set) var id: TaskID?
    private(set) var list: String?
    private var position: Int?
    private var parent: TaskElement.Parent?
    private var collapsed: Bool?
    private var title: String?

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": id = try reader.readIdentifier()
            case "list": list = try reader.readReference()
            case "position": position = try reader.readNumeral()
            case "subtask": parent = try Self.readParent(from: &reader)
            case "hidesubtasks":
                let number = try reader.readNumeral(digits: 1)
                guard number <= 1 else { throw reader.invalid("hidesubtasks must be 0 or 1.") }
                collapsed = number == 1
            case "title": title = try reader.readTitle()
            default:
                throw reader.unknownMember(
                    allowed: ["id", "list", "position", "subtask", "hidesubtasks", "title"])
            }
        }
    }

    /// Reads the id of the parent; `"0"` or the number 0 means that the task has none.
    private static func readParent(
        from reader: inout JSONReader
    ) throws(JSONTypeError) -> TaskElement.Parent {
        guard reader.peek == .number else {
            let id = try reader.readReference()
            return id == noParent ? .none : .task(id)
        }
        guard try reader.readInt() == 0 else {
            throw reader.invalid("subtask must be the id of a task as text, or 0.")
        }
        return .none
    }

    /// The change that the element describes. A task is created only if the element has a list and
    /// a title. So an update of a deleted task's position does not create the task again.
    func element(id: TaskID) -> TaskElement {
        TaskElement(
            id: id, title: title, parent: parent, position: position, collapsed: collapsed,
            mayBeNew: list != nil)
    }
}

extension JSONReader {
    /// Reads a non-negative integer, or a string of at most `digits` digits.
    fileprivate mutating func readNumeral(digits: Int = 18) throws(JSONTypeError) -> Int {
        guard peek == .string else { return try readCount() }
        let text = try readString()
        guard text.utf8.count <= digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text)
        else { throw invalid("The text must be a number of at most \(digits) digits.") }
        return number
    }
}

extension JSONWriter {
    /// Writes a task in the form of a table view's element.
    mutating func element(_ task: ListTask, of list: String) {
        beginObject()
        name("id")
        string(task.id)
        name("list")
        string(list)
        name("position")
        int(task.placement.position)
        name("subtask")
        string(task.placement.parent ?? ElementBody.noParent)
        name("hidesubtasks")
        int(task.content.collapsed ? 1 : 0)
        name("title")
        string(task.content.title)
        endObject()
    }
}
