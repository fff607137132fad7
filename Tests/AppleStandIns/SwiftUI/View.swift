// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@_exported import Foundation
@_exported import Observation
@_exported import class UIKit.UndoManager

// A stand-in for Apple's module SwiftUI: the declarations that the library, the examples and the documentation use, so that they are
// compiled on Linux too. It draws nothing. Only a Mac proves that the real module has the same declarations.

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Self.Body { get }
}

extension Never: View {
    public var body: Never { return fatal() }
}

/// The stand-in of a view whose body is never read.
public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView {
    public var body: Never { return fatal() }
}

func fatal() -> Never { preconditionFailure("The stand-in of SwiftUI draws nothing.") }

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { TupleView() }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> ConditionalContent<First, Second> { ConditionalContent() }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> ConditionalContent<First, Second> { ConditionalContent() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { return fatal() }
}

public struct EmptyView: PrimitiveView {
    nonisolated public init() {}
}

public struct TupleView<Content>: PrimitiveView {
    nonisolated init() {}
}

public struct ConditionalContent<First, Second>: PrimitiveView {
    nonisolated init() {}
}

/// What a modifier returns.
public struct ModifiedView: PrimitiveView, DynamicViewContent {
    nonisolated init() {}
}

public protocol DynamicViewContent: View {}

@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = ModifiedView
    @ViewBuilder func body(content: Content) -> Body
}

// MARK: Apps

@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    init()
    @SceneBuilder var body: Body { get }
}

extension App {
    public static func main() {}
}

@MainActor @preconcurrency
public protocol Scene {}

@resultBuilder
public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
}

extension Scene {
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some Scene { self }

    public func backgroundTask<Result>(
        _ task: BackgroundTask<Result>, action: @escaping @Sendable () async -> Result
    ) -> some Scene { self }
}

public struct BackgroundTask<Result> {
    public static func appRefresh(_ identifier: String) -> BackgroundTask<Void> {
        BackgroundTask<Void>()
    }
}

public enum ScenePhase: Sendable {
    case background, inactive, active
}

@MainActor @preconcurrency
public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}
