// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The views that the examples use.

public struct Text: PrimitiveView {
    nonisolated public init<Text: StringProtocol>(_ content: Text) {}

    nonisolated public func strikethrough(_ isActive: Bool = true) -> Text { self }
    nonisolated public func foregroundStyle(_ style: Color) -> Text { self }
}

public struct Color: Sendable {
    public static let primary = Color()
    public static let secondary = Color()
    public static let accentColor = Color()
}

public struct Image: PrimitiveView {
    nonisolated public init(systemName: String) {}
}

public struct Label: PrimitiveView {
    nonisolated public init(_ title: String, systemImage: String) {}
}

public struct Spacer: PrimitiveView {
    nonisolated public init() {}
}

public struct ProgressView: PrimitiveView {
    nonisolated public init() {}
    nonisolated public init(_ title: String) {}
}

public struct ContentUnavailableView<Actions: View>: PrimitiveView {
    nonisolated public init(
        _ title: String, systemImage: String, description: Text? = nil
    ) where Actions == EmptyView {}
}

public struct ButtonRole: Sendable {
    public static let cancel = ButtonRole()
    public static let destructive = ButtonRole()
}

public struct Button<Label: View>: PrimitiveView {
    nonisolated public init(
        _ title: String, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void
    ) where Label == Text {}
    nonisolated public init(
        _ title: String, systemImage: String, action: @escaping @MainActor () -> Void
    ) where Label == Text {}
    nonisolated public init(
        action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
    ) {}
}

public struct TextField: PrimitiveView {
    nonisolated public init(_ title: String, text: Binding<String>) {}
}

public struct Toggle: PrimitiveView {
    nonisolated public init(_ title: String, isOn: Binding<Bool>) {}
}

public struct EditButton: PrimitiveView {
    nonisolated public init() {}
}

public struct HStack<Content: View>: PrimitiveView {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
}

public struct VStack<Content: View>: PrimitiveView {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
}

public struct List<Content: View>: PrimitiveView {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
    nonisolated public init<Data: RandomAccessCollection, Row: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
    ) where Data.Element: Identifiable, Content == ForEach<Data, Row> {}
}

public struct Section<Content: View>: PrimitiveView {
    nonisolated public init<Title: StringProtocol>(
        _ title: Title, @ViewBuilder content: () -> Content
    ) {}
}

public struct ForEach<Data: RandomAccessCollection, Content: View>: PrimitiveView,
    DynamicViewContent
{
    nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable {}
}

extension DynamicViewContent {
    nonisolated public func onMove(
        perform action: ((IndexSet, Int) -> Void)?
    ) -> some DynamicViewContent { ModifiedView() }

    nonisolated public func onDelete(
        perform action: ((IndexSet) -> Void)?
    ) -> some DynamicViewContent { ModifiedView() }
}

public struct NavigationStack<Root: View>: PrimitiveView {
    nonisolated public init(@ViewBuilder root: () -> Root) {}
}

public struct NavigationLink<Label: View, Destination: View>: PrimitiveView {
    nonisolated public init(
        _ title: String, @ViewBuilder destination: () -> Destination
    ) where Label == Text {}
}

public struct ToolbarItemGroup<Content: View>: PrimitiveView {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
}
