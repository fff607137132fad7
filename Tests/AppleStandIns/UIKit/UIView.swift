// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stand-ins for the parts of UIKit that the adapters and the examples use, with the signatures of iOS 17. They behave as far as
// tests of logic need it: a table view displays its snapshot, and imitates drags by the calls that UIKit makes.
@_exported import Foundation

@MainActor open class UIResponder: NSObject {
    public override init() { super.init() }
    open var undoManager: UndoManager? { nil }
    open var canBecomeFirstResponder: Bool { false }
    @discardableResult open func becomeFirstResponder() -> Bool { canBecomeFirstResponder }
}

@MainActor open class UIView: UIResponder {
    open var frame: CGRect
    open var alpha: CGFloat = 1
    open var isHidden = false
    open var isUserInteractionEnabled = true
    open private(set) var subviews: [UIView] = []
    open private(set) weak var superview: UIView?
    open private(set) var gestureRecognizers: [UIGestureRecognizer]?

    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    public override convenience init() { self.init(frame: .zero) }

    open var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }

    open var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set {
            frame.origin = CGPoint(
                x: newValue.x - frame.width / 2, y: newValue.y - frame.height / 2)
        }
    }

    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        view.superview = self
        subviews.append(view)
    }

    open func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
    }

    open func snapshotView(afterScreenUpdates afterUpdates: Bool) -> UIView? {
        UIView(frame: frame)
    }

    open func addGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        gestureRecognizers = (gestureRecognizers ?? []) + [gestureRecognizer]
        gestureRecognizer.view = self
    }

    open func removeGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        gestureRecognizers?.removeAll { $0 === gestureRecognizer }
        gestureRecognizer.view = nil
    }

    /// Takes effect at once, and completes at once.
    open class func animate(
        withDuration duration: TimeInterval, animations: @escaping () -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        completion?(true)
    }
}

open class UIScrollView: UIView {
    open var contentOffset = CGPoint.zero
}

public struct UIColor: Sendable, Equatable {
    public static let label = UIColor(name: "label")
    public static let secondaryLabel = UIColor(name: "secondaryLabel")
    let name: String
}
