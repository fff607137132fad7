// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@MainActor open class UIViewController: UIResponder {
    open var title: String?
    open private(set) lazy var navigationItem = UINavigationItem()
    open private(set) var isEditing = false
    open private(set) var presentedViewController: UIViewController?
    open private(set) lazy var editButtonItem = UIBarButtonItem(
        systemItem: .edit,
        primaryAction: UIAction { [weak self] _ in
            self?.setEditing(self?.isEditing == false, animated: true)
        })
    private(set) var isViewLoaded = false

    public init(nibName: String?, bundle: Bundle?) { super.init() }

    public required init?(coder: NSCoder) { super.init() }

    open func loadViewIfNeeded() {
        guard !isViewLoaded else { return }
        isViewLoaded = true
        viewDidLoad()
    }

    open func viewDidLoad() {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewDidAppear(_ animated: Bool) {}
    open func viewWillDisappear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
    open func setEditing(_ editing: Bool, animated: Bool) { isEditing = editing }

    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool,
        completion: (() -> Void)? = nil
    ) {
        presentedViewController = viewControllerToPresent
        completion?()
    }
}

@MainActor open class UINavigationItem: NSObject {
    open var title: String?
    open var prompt: String?
    open var leftBarButtonItem: UIBarButtonItem?
    open var rightBarButtonItem: UIBarButtonItem?
    open var leftBarButtonItems: [UIBarButtonItem]?
    open var rightBarButtonItems: [UIBarButtonItem]?
}

@MainActor open class UIBarButtonItem: NSObject {
    public enum SystemItem: Int, Sendable {
        case done, cancel, edit, save, add, trash, undo, redo
    }

    open var title: String?
    open var isEnabled = true
    open var primaryAction: UIAction?

    public init(systemItem: SystemItem, primaryAction: UIAction? = nil, menu: Never? = nil) {
        self.primaryAction = primaryAction
        super.init()
    }

    public init(title: String? = nil, primaryAction: UIAction? = nil, menu: Never? = nil) {
        self.title = title
        self.primaryAction = primaryAction
        super.init()
    }

    /// Imitates a tap.
    public func imitateTap() { primaryAction?.perform() }
}

@MainActor open class UIAction: NSObject {
    public typealias Handler = (UIAction) -> Void

    open var title: String
    private let handler: Handler

    public init(title: String = "", handler: @escaping Handler) {
        self.title = title
        self.handler = handler
        super.init()
    }

    func perform() { handler(self) }
}
