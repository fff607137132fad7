import ListModel
import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

/// A request that a client wants to make. It is sent once or several times.
final class Intention {
    enum Kind {
        /// Changes lists.
        case write
        case readList, readTask, readTasks, readPage, readIndex, readChanges, readHistory, readFeed,
            events
        /// A request of the client library. The library's state machine is checked instead.
        case sync
        /// A read of a client with a token, which only sees a part.
        case guest
    }

    let id: String
    /// What it does, for the summary.
    let action: String
    let kind: Kind
    /// What the model of the rules does with it.
    var decision = Decision.other
    /// The only server that can do it; nil means any.
    var server: SimulatedServer?
    let method: HTTPMethod
    let target: String
    let body: String
    var headers: [(String, String)] = []
    /// The list that the path names; nil if it names a task or a drag.
    let list: String?
    /// Whether it has an idempotency key or only ops with ids, so that it is applied only once,
    /// even if it is sent several times.
    var isOnce = false
    /// Whether it has an idempotency key.
    var hasKey: Bool { headers.contains { $0.0 == "Idempotency-Key" } }
    /// The value of `Client-Id`, if the client has chosen one.
    var client: String? { headers.first { $0.0.lowercased() == "client-id" }?.1 }
    /// The version in `If-Match`.
    var precondition: Token?
    /// The version of the list that it undoes.
    var undone: Int?
    /// The part of the list that it reads.
    var window = ListDocument.Window()
    /// The version after which it reads changes.
    var since: Token?
    /// The digest and the tag of the document that the client has.
    var copy: (tag: String, digest: UInt64)?
    /// The page of tasks that it reads.
    var page: PageRequest?
    /// The body of that page that the client has.
    var pageCopy: [UInt8]?
    /// The tasks that it reads.
    var tasks: [TaskID] = []
    /// The ids of the operations of a batch of the client library.
    var operations: [String] = []
    /// The token of the client, and what the request needs; nil for clients that may do everything.
    var access: NeededAccess?
    /// Whether it has a ticket for streams in the place of the token.
    var hasTicket = false
    var attempts: [Attempt] = []

    init(
        _ id: String, _ kind: Kind, _ method: HTTPMethod, _ target: String, _ body: String = "",
        list: String? = nil, action: String? = nil
    ) {
        self.id = id
        self.action = action ?? "\(kind)"
        self.kind = kind
        self.method = method
        self.target = target
        self.body = body
        self.list = list
    }
}

/// The changes that a request asks for, in the terms of the model of the rules.
enum Decision {
    case one(Command)
    case batch([Command], Batch.Form)
    /// The list gets this content. Its title is its id.
    case replace(ListModel)
    case undo(Int)
    case transfer(MoveRequest, to: String)
    /// The rows are those of earlier versions of the list and of the list that the tasks move to.
    case seenMove(MoveRequest, at: Int, to: String?, atOther: Int?)
    case sectionTransfer(SectionID, to: String, position: Int?)
    /// A copy directly after the task, or at the end of another list's tasks without a section.
    case copyTask(TaskID, as: TaskID)
    case copyList(String)
    case drag(DragStep)
    /// Folds a task for one person.
    case fold(TaskID, Bool)
    /// The rows are those that a person with a list of folds sees.
    case foldedMove(MoveRequest, folds: String)
    /// The rules have no part in it.
    case other

    enum DragStep {
        case lift(MoveRequest.Subject)
        case hover(Destination)
    }
}

/// One sending of an intention. Its tag is the client id of its changes.
final class Attempt {
    let intention: Intention
    let tag: String
    /// The versions that responses had shown when it was sent.
    let floor: [String: Int]
    /// The number of restores of the store when it was sent, and when a server responded.
    let restores: Int
    var answeredAfter: Int?
    /// When its first change became durable, in simulated nanoseconds.
    var committedAt: UInt64?
    /// Whether a response said that nothing was stored.
    var isRefused = false
    /// The durable versions when it arrived at a server.
    var durable: [String: Int] = [:]
    /// The server that it arrives at, and whether its token was accepted then.
    weak var process: ServerProcess?
    var force: HeldToken.Force?
    /// Whether a server is handling it.
    var isAtServer = false
    /// Whether a server was handling another attempt at the same time.
    var hasMetAnother = false

    func arrive() {
        isAtServer = true
        for other in intention.attempts where other !== self && other.isAtServer {
            other.hasMetAnother = true
            hasMetAnother = true
        }
    }

    init(_ intention: Intention, floor: [String: Int], _ restores: Int) {
        self.restores = restores
        self.intention = intention
        tag = "\(intention.id).\(intention.attempts.count)"
        self.floor = floor
        intention.attempts.append(self)
    }

    var request: Request {
        var headers = HeaderFields()
        for (name, value) in intention.headers { headers.add(name, value) }
        if !intention.hasTicket {
            headers.add(
                "Authorization", "Bearer \(intention.access?.token.text ?? Credentials.root)")
        }
        if headers["Client-Id"] == nil { headers.add("Client-Id", tag) }
        if !intention.body.isEmpty, headers["Content-Type"] == nil {
            headers.add("Content-Type", "application/json")
        }
        var request = Request(
            method: intention.method, target: intention.target, headers: headers,
            body: Array(intention.body.utf8))
        request.coding = headers["Accept-Encoding"] == "gzip" ? .gzip : .identity
        return request
    }
}
