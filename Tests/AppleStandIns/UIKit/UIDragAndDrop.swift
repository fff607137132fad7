// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// The data of a dragged item for other apps.
public final class NSItemProvider: NSObject {
    public override init() { super.init() }
}

@MainActor open class UIDragItem: NSObject {
    public let itemProvider: NSItemProvider
    open var localObject: Any?

    public init(itemProvider: NSItemProvider) {
        self.itemProvider = itemProvider
        super.init()
    }
}

@MainActor public protocol UIDragDropSession: NSObjectProtocol {
    var items: [UIDragItem] { get }
    func location(in view: UIView) -> CGPoint
}

@MainActor public protocol UIDragSession: UIDragDropSession {
    var localContext: Any? { get set }
}

@MainActor public protocol UIDropSession: UIDragDropSession {
    var localDragSession: (any UIDragSession)? { get }
}

public enum UIDropOperation: UInt, Sendable { case cancel, forbidden, copy, move }

@MainActor open class UIDropProposal: NSObject {
    public let operation: UIDropOperation

    public init(operation: UIDropOperation) {
        self.operation = operation
        super.init()
    }
}

open class UITableViewDropProposal: UIDropProposal {
    public enum Intent: Int, Sendable {
        case unspecified, insertAtDestinationIndexPath, insertIntoDestinationIndexPath, automatic
    }

    public let intent: Intent

    public init(operation: UIDropOperation, intent: Intent) {
        self.intent = intent
        super.init(operation: operation)
    }

    public override init(operation: UIDropOperation) {
        intent = .unspecified
        super.init(operation: operation)
    }
}

@MainActor public protocol UIDragAnimating: NSObjectProtocol {}

@MainActor public protocol UITableViewDropItem: NSObjectProtocol {
    var dragItem: UIDragItem { get }
    var sourceIndexPath: IndexPath? { get }
}

@MainActor public protocol UITableViewDropCoordinator: NSObjectProtocol {
    var items: [any UITableViewDropItem] { get }
    var destinationIndexPath: IndexPath? { get }
    var session: any UIDropSession { get }
    @discardableResult func drop(
        _ dragItem: UIDragItem, toRowAt indexPath: IndexPath
    ) -> any UIDragAnimating
}

@MainActor public protocol UITableViewDragDelegate: NSObjectProtocol {
    func tableView(
        _ tableView: UITableView, itemsForBeginning session: any UIDragSession,
        at indexPath: IndexPath
    ) -> [UIDragItem]
    func tableView(_ tableView: UITableView, dragSessionWillBegin session: any UIDragSession)
    func tableView(_ tableView: UITableView, dragSessionDidEnd session: any UIDragSession)
    func tableView(
        _ tableView: UITableView,
        dragSessionIsRestrictedToDraggingApplication session: any UIDragSession
    ) -> Bool
}

extension UITableViewDragDelegate {
    public func tableView(
        _ tableView: UITableView, dragSessionWillBegin session: any UIDragSession
    ) {}

    public func tableView(
        _ tableView: UITableView, dragSessionDidEnd session: any UIDragSession
    ) {}

    public func tableView(
        _ tableView: UITableView,
        dragSessionIsRestrictedToDraggingApplication session: any UIDragSession
    ) -> Bool { false }
}

@MainActor public protocol UITableViewDropDelegate: NSObjectProtocol {
    func tableView(_ tableView: UITableView, canHandle session: any UIDropSession) -> Bool
    func tableView(
        _ tableView: UITableView, dropSessionDidUpdate session: any UIDropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> UITableViewDropProposal
    func tableView(
        _ tableView: UITableView, performDropWith coordinator: any UITableViewDropCoordinator)
}

extension UITableViewDropDelegate {
    public func tableView(_ tableView: UITableView, canHandle session: any UIDropSession) -> Bool {
        true
    }

    public func tableView(
        _ tableView: UITableView, dropSessionDidUpdate session: any UIDropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> UITableViewDropProposal { UITableViewDropProposal(operation: .cancel) }
}
