// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@MainActor open class UITableViewCell: UIView {
    public enum CellStyle: Int, Sendable { case `default`, value1, value2, subtitle }
    public enum EditingStyle: Int, Sendable { case none, delete, insert }
    public enum AccessoryType: Int, Sendable {
        case none, disclosureIndicator, detailDisclosureButton, checkmark, detailButton
    }

    public let contentView = UIView()
    public let reuseIdentifier: String?
    open var contentConfiguration: (any UIContentConfiguration)?
    open var indentationLevel = 0
    open var indentationWidth: CGFloat = 10
    open var accessoryType = AccessoryType.none

    public required init(style: CellStyle, reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: .zero)
    }

    open func defaultContentConfiguration() -> UIListContentConfiguration {
        UIListContentConfiguration()
    }
}

@MainActor public protocol UIContentConfiguration {}

@MainActor public struct UIListContentConfiguration: UIContentConfiguration, Equatable {
    @MainActor public struct TextProperties: Equatable {
        public var color = UIColor.label
    }

    public var text: String?
    public var secondaryText: String?
    public var textProperties = TextProperties()

    public static func cell() -> UIListContentConfiguration { UIListContentConfiguration() }
}
