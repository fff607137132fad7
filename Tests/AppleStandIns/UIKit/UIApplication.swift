// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@MainActor open class UIApplication: UIResponder {
    public struct LaunchOptionsKey: Hashable, Sendable {}

    public static let shared = UIApplication()
}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    init()
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
}

extension UIApplicationDelegate {
    /// Launches the app. It has no run loop.
    public static func main() {
        _ = Self().application(UIApplication.shared, didFinishLaunchingWithOptions: nil)
    }
}

@MainActor open class UIScreen: NSObject {
    public static let main = UIScreen()

    open var bounds: CGRect { CGRect(x: 0, y: 0, width: 390, height: 844) }
}

open class UIWindow: UIView {
    open var rootViewController: UIViewController?

    open func makeKeyAndVisible() { rootViewController?.loadViewIfNeeded() }
}

open class UINavigationController: UIViewController {
    open private(set) var viewControllers: [UIViewController]

    public init(rootViewController: UIViewController) {
        viewControllers = [rootViewController]
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) {
        viewControllers = []
        super.init(coder: coder)
    }

    open override func viewDidLoad() {
        super.viewDidLoad()
        viewControllers.last?.loadViewIfNeeded()
    }
}
