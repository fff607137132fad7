// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@MainActor open class UIGestureRecognizer: NSObject {
    public enum State: Int, Sendable {
        case possible, began, changed, ended, cancelled, failed
    }

    open var state = State.possible
    open internal(set) weak var view: UIView?
    /// Apple's setter cancels a gesture that is going on.
    open var isEnabled = true {
        didSet { if !isEnabled, state == .began || state == .changed { state = .cancelled } }
    }
    /// Tests set it.
    public var point = CGPoint.zero

    /// Linux has no selectors: tests call the adapter's handler.
    public init(target: Any?, action: Never?) { super.init() }

    open func location(in view: UIView?) -> CGPoint { point }
}

open class UILongPressGestureRecognizer: UIGestureRecognizer {
    open var minimumPressDuration: TimeInterval = 0.5
}
