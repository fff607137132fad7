import SwiftOperators
import SwiftParser
import SwiftSyntax

/// All mutations of a source file, in the order of the file. Only kinds that compile in nearly all places.
package func mutations(of source: String) -> [Mutation] {
    // An operator that the standard library does not have stays unfolded, without mutations.
    let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
    let finder = Finder(tree, SourceLocationConverter(fileName: "", tree: tree))
    finder.walk(tree)
    return finder.found.sorted { $0.range.lowerBound < $1.range.lowerBound }
}

/// Functions whose calls and arguments are not mutated: checks that end the process, log lines, and hints that change
/// only the speed.
private let uninteresting: Set = [
    "abort", "assert", "assertInvariants", "assertionFailure", "exit", "fatalError", "precondition",
    "preconditionFailure", "reserveCapacity", "withExtendedLifetime",
]
private let loggers: Set = ["log", "logger"]

private final class Finder: SyntaxVisitor {
    var found: [Mutation] = []
    private let lines: SourceLocationConverter
    /// Variables that get their value after their declaration: such an assignment can't be left out.
    private var unassigned: Set<String> = []

    init(_ tree: Syntax, _ lines: SourceLocationConverter) {
        self.lines = lines
        super.init(viewMode: .sourceAccurate)
        for token in tree.tokens(viewMode: .sourceAccurate) {
            guard let binding = token.parent?.parent?.as(PatternBindingSyntax.self),
                binding.initializer == nil,
                binding.accessorBlock == nil
            else { continue }
            unassigned.insert(token.text)
        }
    }

    private func add(
        _ kind: Mutation.Kind, _ node: some SyntaxProtocol, of original: String? = nil,
        _ mutant: String,
        _ replacement: @escaping (Int) -> String
    ) {
        let (start, end) = (
            node.positionAfterSkippingLeadingTrivia, node.endPositionBeforeTrailingTrivia
        )
        found.append(
            Mutation(
                kind: kind,
                range: start.utf8Offset..<end.utf8Offset,
                line: lines.location(for: start).line, lastLine: lines.location(for: end).line,
                original: oneLine(original ?? node.trimmedDescription),
                mutant: oneLine(mutant), replacement: replacement))
    }

    // MARK: - What is left as it is

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }
    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }
    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        isUninteresting(node) ? .skipChildren : .visitChildren
    }

    private func isUninteresting(_ call: FunctionCallExprSyntax) -> Bool {
        let called = call.calledExpression
        if let name = called.as(DeclReferenceExprSyntax.self) {
            return uninteresting.contains(name.baseName.text)
        }
        guard let member = called.as(MemberAccessExprSyntax.self) else { return false }
        let base = member.base?.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""
        return uninteresting.contains(member.declName.baseName.text) || loggers.contains(base)
    }

    // MARK: - Conditions

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = node.condition { negate(condition) }
        return .visitChildren
    }
    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }
    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }
    override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    private func negate(_ condition: ExprSyntax) {
        guard !condition.is(BooleanLiteralExprSyntax.self) else { return }
        let text = condition.trimmedDescription
        add(.condition, condition, "!(\(text))") { "mutant_not(\($0), \(text))" }
    }

    // MARK: - Operators

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let symbol = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else {
            return .visitChildren
        }
        switch symbol {
        case "==", "!=":
            // As a whole condition, it is negated already.
            if node.parent?.is(ConditionElementSyntax.self) != true {
                let text = node.trimmedDescription
                add(.border, node, other(node, symbol == "==" ? "!=" : "==")) {
                    "mutant_not(\($0), \(text))"
                }
            }
        case "<": exchange(.border, node, "<=")
        case "<=": exchange(.border, node, "<")
        case ">": exchange(.border, node, ">=")
        case ">=": exchange(.border, node, ">")
        case "&&": exchange(.logic, node, "||")
        case "||": exchange(.logic, node, "&&")
        case "+", "-", "+=", "-=":
            for side in [node.leftOperand, node.rightOperand] {
                guard let literal = side.as(IntegerLiteralExprSyntax.self) else { continue }
                let text = literal.literal.text
                let next =
                    text == "1" && symbol.count == 1 ? "0" : text == "1" ? "2" : "\(text) + 1"
                let mutant =
                    side.id == node.leftOperand.id
                    ? "\(next) \(symbol) \(node.rightOperand.trimmedDescription)"
                    : "\(node.leftOperand.trimmedDescription) \(symbol) \(next)"
                add(.number, side, of: node.trimmedDescription, mutant) {
                    "(mutant_is(\($0)) ? \(next) : \(text))"
                }
            }
        case "..<", "...":
            let end = node.rightOperand
            guard !end.is(StringLiteralExprSyntax.self) else { break }
            let (text, sign) = (end.trimmedDescription, symbol == "..<" ? "+" : "-")
            add(.number, end, of: node.trimmedDescription, "\(node.trimmedDescription) \(sign) 1") {
                "((\(text)) \(sign) (mutant_is(\($0)) ? 1 : 0))"
            }
        default: break
        }
        return .visitChildren
    }

    private func other(_ node: InfixOperatorExprSyntax, _ symbol: String) -> String {
        "\(node.leftOperand.trimmedDescription) \(symbol) \(node.rightOperand.trimmedDescription)"
    }

    private func exchange(_ kind: Mutation.Kind, _ node: InfixOperatorExprSyntax, _ symbol: String)
    {
        let text = node.trimmedDescription
        let mutant = other(node, symbol)
        // The copy must fit in one line.
        guard !text.contains("\n") || !["{", "//", "\"\"\""].contains(where: text.contains) else {
            return
        }
        add(kind, node, mutant) { "(mutant_is(\($0)) ? (\(oneLine(mutant))) : (\(text)))" }
    }

    // MARK: - Statements

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        guard case .expr(let expression) = node.item, let kind = statement(expression),
            !isValue(node)
        else {
            return .visitChildren
        }
        if node.isInElseOfGuard { return .visitChildren }
        let text = expression.trimmedDescription
        add(kind, expression, "(left out)") { "if !mutant_is(\($0)) { \(text) }" }
        return .visitChildren
    }

    /// The kind of mutation that leaves this statement out, or nil if it can't be left out.
    private func statement(_ expression: ExprSyntax) -> Mutation.Kind? {
        let plain = expression.withoutEffects
        if let call = plain.as(FunctionCallExprSyntax.self) {
            let member = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName
                .text
            return isUninteresting(call) || member == "init" ? nil : .call
        }
        guard let infix = plain.as(InfixOperatorExprSyntax.self) else { return nil }
        if infix.leftOperand.is(DiscardAssignmentExprSyntax.self) { return .call }
        let symbol = infix.operator.trimmedDescription
        guard symbol.hasSuffix("="), !["==", "!=", "<=", ">=", "===", "!=="].contains(symbol) else {
            return nil
        }
        if let name = infix.leftOperand.as(DeclReferenceExprSyntax.self)?.baseName.text,
            unassigned.contains(name)
        {
            return nil
        }
        return infix.isInInitializer ? nil : .assignment
    }

    // MARK: - Functions that return at once

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.attributes.trimmedDescription.contains("@inlinable") { return .skipChildren }
        if let body = node.body {
            returnAtOnce(
                node.name.text, body.statements,
                node.signature.returnClause?.type.trimmedDescription ?? "Void")
        }
        return .visitChildren
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        if case .getter(let body) = node.accessorBlock?.accessors,
            let type = node.typeAnnotation?.type
        {
            returnAtOnce(node.pattern.trimmedDescription, body, type.trimmedDescription)
        }
        return .visitChildren
    }

    private func returnAtOnce(_ name: String, _ body: CodeBlockItemListSyntax, _ type: String) {
        guard let first = body.first else { return }
        var prefix = ""
        let values: [String]
        switch type {
        case "Void", "()": values = [""]
        case "Bool": values = [" true", " false"]
        default: values = type.hasSuffix("?") ? [" nil"] : []
        }
        if body.count == 1 {
            switch first.item {
            // For functions without a value, this is the call that is left out.
            case .expr where values == [""]: return
            case .expr(let value):
                if let call = value.as(FunctionCallExprSyntax.self), isUninteresting(call) {
                    return
                }
                prefix = "return "
            case .stmt(let statement)
            where statement.is(ExpressionStmtSyntax.self) && values != [""]:
                // The branches can be the values.
                guard statement.trimmedDescription.contains("return ") else { return }
            case .stmt(let statement):
                if statement.trimmedDescription == "return\(values.first ?? "")" { return }
            case .decl: return
            }
        }
        guard let token = first.firstToken(viewMode: .sourceAccurate) else { return }
        let text = token.text
        for value in values where !(body.count == 1 && first.trimmedDescription == "return\(value)")
        {
            add(.early, token, of: "\(name) { \(first.trimmedDescription)", "return\(value)") {
                "if mutant_is(\($0)) { return\(value) }; \(prefix)\(text)"
            }
        }
    }
}

/// The text in one line, for people and for copies.
private func oneLine(_ text: String) -> String {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
}

extension ExprSyntax {
    /// Without `try` and `await`.
    fileprivate var withoutEffects: ExprSyntax {
        if let expression = self.as(TryExprSyntax.self) {
            return expression.expression.withoutEffects
        }
        if let expression = self.as(AwaitExprSyntax.self) {
            return expression.expression.withoutEffects
        }
        return self
    }
}

extension SyntaxProtocol {
    fileprivate var ancestors: some Sequence<Syntax> {
        sequence(first: Syntax(self)) { $0.parent }.dropFirst()
    }

    /// Whether stored properties of the value may get their first value here.
    fileprivate var isInInitializer: Bool {
        for ancestor in ancestors {
            if ancestor.is(InitializerDeclSyntax.self) { return true }
            if ancestor.is(FunctionDeclSyntax.self) { return false }
        }
        return false
    }
}

extension CodeBlockItemSyntax {
    fileprivate var isInElseOfGuard: Bool {
        parent?.parent?.parent?.is(GuardStmtSyntax.self) == true
            && parent?.as(CodeBlockItemListSyntax.self)?.last?.id == id
    }
}

/// Whether the statement can be the value of a closure, a function, or an `if` or `switch` with values.
private func isValue(_ item: CodeBlockItemSyntax) -> Bool {
    guard let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1,
        let owner = list.parent
    else {
        return false
    }
    if owner.is(ClosureExprSyntax.self) || owner.is(AccessorBlockSyntax.self) { return true }
    if owner.is(SwitchCaseSyntax.self) { return isValue(branch: owner) }
    guard owner.is(CodeBlockSyntax.self), let user = owner.parent else { return false }
    if let function = user.as(FunctionDeclSyntax.self) {
        return function.signature.returnClause != nil
    }
    if let accessor = user.as(AccessorDeclSyntax.self) {
        return accessor.accessorSpecifier.text == "get"
    }
    return user.is(IfExprSyntax.self) && isValue(branch: user)
}

/// Whether the `if` or `switch` with this branch can have a value.
private func isValue(branch: Syntax) -> Bool {
    for ancestor in branch.ancestors {
        if let statement = ancestor.as(ExpressionStmtSyntax.self) {
            guard let item = statement.parent?.as(CodeBlockItemSyntax.self) else { return true }
            return isValue(item)
        }
        let isPart =
            ancestor.is(IfExprSyntax.self) || ancestor.is(SwitchExprSyntax.self)
            || ancestor.is(SwitchCaseListSyntax.self)
        if !isPart { return true }
    }
    return true
}
