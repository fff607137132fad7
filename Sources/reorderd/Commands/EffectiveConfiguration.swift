/// The options of `serve` that are in effect: given by the command line or a variable, or the default.
struct EffectiveConfiguration {
    /// Lines of an environment file: `REORDERD_PORT=8080`. Options without a value are left out, and so are passwords.
    let lines: [String]

    /// - Parameter arguments: those of `serve`, with those that variables have set. They were parsed before.
    init(_ arguments: [String]) {
        let given = Self.values(of: arguments)
        lines = ServeOption.all.compactMap { option in
            guard option.name != "print-configuration" else { return nil }
            let standard =
                switch option.name {
                case "store": "\(StoreLocation.standard)"
                default: option.kind == .flag ? "false" : option.defaultValue
                }
            let values = given[option.name] ?? [standard].compactMap(\.self)
            let value = option.kind == .values ? values.joined(separator: ",") : values.last
            guard let value, !value.isEmpty else { return nil }
            let shown = option.name == "store" ? StoreLocation.withoutPassword(value) : value
            return "\(option.variable)=\(shown)"
        }
    }

    private static func values(of arguments: [String]) -> [String: [String]] {
        let flags = Set(ServeOption.all.filter { $0.kind == .flag }.map(\.name))
        var values: [String: [String]] = [:]
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
            guard argument.hasPrefix("--"), let name = parts.first else { continue }
            let value =
                flags.contains(name)
                ? "true" : argument.contains("=") ? parts.dropFirst().first : rest.popFirst()
            values[name, default: []].append(value ?? "")
        }
        return values
    }
}
