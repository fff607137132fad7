import MicroHTTP
import ReorderAPI
import ReorderEngine
import ReorderService

/// Why a request failed.
struct DAVError: Error {
    var status: Int
    /// The condition that was not met (RFC 4918, section 16).
    var condition: XMLName?
    /// The resource that the condition is about.
    var href: String?
    /// A sentence or two for people.
    var detail: String
    var headers: HeaderFields = [:]

    init(_ status: Int, _ detail: String) {
        self.status = status
        self.detail = detail
    }

    init(_ status: Int, _ condition: XMLName, href: String? = nil, _ detail: String) {
        self.status = status
        self.condition = condition
        self.href = href
        self.detail = detail
    }

    static let notFound = DAVError(404, "No resource exists at this path.")
    static let tooLarge = DAVError(
        403, .caldav("max-resource-size"),
        "The task is too large. Make it shorter: with its attachments, it has at most "
            + "\(DAV.maximumResourceBytes) bytes, and fewer if its notes are long.")
    static let otherData = DAVError(
        403, "Change only the title or the completion. The task's other data is of another app.")
    static let tooManyProperties = DAVError(
        403, "Name fewer properties: a request has at most \(DAV.maximumProperties).")
    static let tooManyTasks = DAVError(
        507, "Use a shorter list. CalDAV has at most \(DAV.maximumTasks) tasks in a list.")
    static let preconditionFailed = DAVError(
        412, "If-Match or If-None-Match does not hold: the task was changed or deleted.")

    static func badXML(_ failure: XMLReader.Failure) -> DAVError {
        DAVError(400, "The body is not valid XML. \(failure.reason)")
    }

    /// - Parameter isRead: whether the request only reads. Then a list that the client may not read does not exist.
    init(_ error: ServiceError, isRead: Bool) {
        switch error {
        case .command(_, let error): self.init(error, isRead: isRead)
        case .listNotFound: self = .notFound
        case .listForbidden where isRead: self = .notFound
        case .dataTooLarge: self = .tooLarge
        case .listTaken: self.init(405, "The calendar already exists.")
        case .refused(let refusal, _, _): self.init(refusal)
        case .listFull, .sectionsFull, .targetListFull: self.init(403, error.problemDetail)
        default:
            self.init(error.problemStatus, error.problemDetail)
            if status == 503 { headers["Retry-After"] = "1" }
        }
    }

    init(_ refusal: Refusal) { self.init(403, Self.sentence(refusal)) }

    private static func sentence(_ refusal: Refusal) -> String {
        switch refusal {
        case .locked: "The task is locked, or its place is."
        case .depthLimit, .maxDepth: "The task would be nested too deep."
        case .sectionFull: "The section has the maximum number of tasks."
        case .parentFull: "The task has the maximum number of subtasks."
        case .notSiblings: "In this list, tasks can be moved only among their siblings."
        case .cycle: "A task can't be below itself."
        default: "The list does not allow this change."
        }
    }

    var response: Response {
        var response = Response(status: status, headers: headers)
        response.headers["Cache-Control"] = "no-store"
        response.refusal = "caldav_\(condition?.local.replacing("-", with: "_") ?? "\(status)")"
        guard let condition else {
            response.headers["Content-Type"] = "text/plain; charset=utf-8"
            response.body = Array("\(detail)\n".utf8)
            return response
        }
        response.headers["Content-Type"] = DAV.xmlType
        response.body = XMLWriter.document(.dav("error")) { writer in
            writer.element(condition) { writer in
                if let href { writer.href(href) }
            }
            writer.element(.dav("responsedescription"), text: detail)
        }
        return response
    }
}
