import ReorderEngine
import ReorderJSON

extension Command {
    static func validated(_ commands: [Command]) throws(ClientError) -> [Command] {
        var valid: [Command] = []
        for command in commands { valid.append(try command.validated()) }
        return valid
    }

    /// Rejects values that the server would reject, and removes what only the server sets.
    func validated() throws(ClientError) -> Command {
        func compact(_ data: String?) throws(ClientError) -> String? {
            if let data { try InputValidation.data(data) } else { nil }
        }
        switch self {
        case .create(var content, let place):
            content.stamps = TaskStamps()
            try InputValidation.id(content.id)
            try InputValidation.title(content.title)
            content.data = try compact(content.data)
            return .create(content, at: place)
        case .update(let task, var update):
            if let title = update.title { try InputValidation.title(title) }
            update.data = try update.data?.validated()
            return .update(task, update)
        case .createSection(let id, let title, let position, let data, let maxTasks):
            try InputValidation.id(id)
            try InputValidation.title(title)
            let data = try compact(data)
            return .createSection(
                id, title: title, position: position, data: data == "null" ? nil : data,
                maxTasks: maxTasks)
        case .updateSection(let section, var update):
            if let title = update.title { try InputValidation.title(title) }
            try InputValidation.limit(update.maxTasks)
            update.data = try update.data?.validated()
            return .updateSection(section, update)
        case .settings(var update):
            try InputValidation.settings(update)
            update.data = try update.data?.validated()
            return .settings(update)
        default: return self
        }
    }
}

extension DataUpdate {
    fileprivate func validated() throws(ClientError) -> DataUpdate {
        guard case .set(let text) = self else { return self }
        return DataUpdate(json: try InputValidation.data(text))
    }
}

/// Rejects values that the server would reject, before they are displayed.
enum InputValidation {
    static func id(_ id: String) throws(ClientError) {
        guard Identifier.isValid(id) else { throw .invalid(Identifier.rule) }
    }

    static func title(_ title: String) throws(ClientError) {
        guard title.utf8.count <= FormLimits.titleBytes else {
            throw .invalid(
                "The title is too long. It can have \(FormLimits.titleBytes) bytes; most letters need one."
            )
        }
        guard !title.utf8.contains(0) else {
            throw .invalid("The title has a character that can't be stored.")
        }
    }

    static func limit(_ update: LimitUpdate?) throws(ClientError) {
        guard update?.limit ?? 1 >= 1 else { throw .invalid("A limit must be 1 task or more.") }
    }

    static func settings(_ update: SettingsUpdate) throws(ClientError) {
        if let title = update.title { try self.title(title) }
        guard update.elementsOffset ?? 0 >= 0 else {
            throw .invalid("The number of locked rows must be 0 or more.")
        }
        guard update.hasValidLimits else {
            throw .invalid("A list can have 1 to 16 levels, and limits of 1 task or more.")
        }
    }

    /// The text in the compact form that the server stores.
    static func data(_ data: String) throws(ClientError) -> String {
        guard let text = try? JSONText(checking: Array(data.utf8)) else {
            throw .invalid("The data must be JSON.")
        }
        var reader = JSONReader(text)
        let compact = reader.readRaw()
        guard compact.utf8.count <= FormLimits.dataBytes else {
            throw .invalid("The data is too large. It can have \(FormLimits.dataBytes) bytes.")
        }
        guard FormLimits.allowsData(compact) else {
            throw .invalid(
                "The data is nested too deeply. It can have \(FormLimits.dataNesting) levels.")
        }
        return compact
    }
}
