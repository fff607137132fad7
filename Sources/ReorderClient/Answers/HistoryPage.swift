import Foundation
import ReorderEngine
import ReorderJSON

/// A part of a list's history.
public struct HistoryPage: Sendable, Equatable {
    /// The changes, newest first.
    public var changes: [PastChange] = []
    /// Gets the next page; nil if no earlier change is stored.
    public var before: String?
}

/// A change of a list in a form for people, with the titles of its time.
public struct PastChange: Sendable, Equatable, Identifiable {
    /// Distinguishes the change from the others of its list.
    public var id: String
    /// When the server decided the change.
    public var date: Date
    /// Who made the change, if the server knows it: the name of the token, or the subject of a signed
    /// token.
    public var author: String?
    /// Whether the change created or deleted the list.
    public var kind: Kind?
    /// The list that the tasks moved to, if they did and the token may read it.
    public var toList: String?
    /// The list that the tasks came from, if they did and the token may read it.
    public var fromList: String?
    /// The effects of the first ten operations.
    public var steps: [Step] = []
    /// The number of all operations.
    public var stepCount = 0
    /// Whether the change can be undone, unless later changes prevent it.
    public var mayUndo = false

    /// A change of a whole list.
    public enum Kind: String, Sendable {
        /// The change created the list.
        case created
        /// The change deleted the list.
        case deleted
    }

    /// The effect of an operation. Values that the operation did not change, and titles that are not
    /// known any more, are nil.
    public struct Step: Sendable, Equatable {
        /// The operation: `insert`, `update`, `move`, `collapse`, `delete`, `section-insert`,
        /// `section-update`, `section-move`, `section-delete`, `list` or `replace`. A later server can
        /// have further ones.
        public var operation = ""
        /// The task of the operation.
        public var task: TaskID?
        /// The section of the operation.
        public var section: SectionID?
        /// The title of the task, section or list after the change; before it, if it was deleted.
        public var title: String?
        /// The title before the change, if it changed.
        public var oldTitle: String?
        /// Whether the task is done now.
        public var done: Bool?
        /// Whether the task is locked now.
        public var locked: Bool?
        /// Whether the task is collapsed now.
        public var collapsed: Bool?
        /// Whether the app's data changed.
        public var changesData = false
        /// Whether settings of the list other than its title changed.
        public var changesSettings = false
        /// The task's place before the change.
        public var from: Place?
        /// The task's place after the change.
        public var to: Place?
    }

    /// A place in a list, in titles.
    public struct Place: Sendable, Equatable {
        /// The title of the section; nil outside of sections.
        public var section: String?
        /// The title of the parent; nil on the top level.
        public var parent: String?
        /// The title of the sibling directly above; nil for the first place.
        public var below: String?
    }
}

extension HistoryPage {
    init(json: [UInt8]) throws {
        var reader = try JSONReader(answer: json)
        var epoch = ""
        var isPage = false
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "epoch": epoch = try reader.readString()
            case "before": before = try reader.readStringOrNull()
            case "changes":
                isPage = true
                try reader.beginArray()
                while reader.nextElement() { changes.append(try PastChange(from: &reader)) }
            default: reader.skip()
            }
        }
        guard isPage else { throw reader.missingMember("changes") }
        for index in changes.indices { changes[index].id += "-\(epoch)" }
    }
}

extension PastChange {
    /// The id is the version.
    fileprivate init(from reader: inout JSONReader) throws(JSONTypeError) {
        id = ""
        date = .distantPast
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "version": id = "\(try reader.readCount())"
            case "at": date = try Date(from: &reader)
            case "by": author = try reader.readString()
            case "kind": kind = Kind(rawValue: try reader.readString())
            case "toList": toList = try reader.readString()
            case "fromList": fromList = try reader.readString()
            case "stepCount": stepCount = try reader.readCount()
            case "mayUndo": mayUndo = try reader.readBool()
            case "steps":
                try reader.beginArray()
                while reader.nextElement() { steps.append(try Step(from: &reader)) }
            default: reader.skip()
            }
        }
    }
}

extension PastChange.Step {
    fileprivate init(from reader: inout JSONReader) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "op": operation = try reader.readString()
            case "task": task = try reader.readString()
            case "section": section = try reader.readString()
            case "title": title = try reader.readString()
            case "oldTitle": oldTitle = try reader.readString()
            case "done": done = try reader.readBool()
            case "locked": locked = try reader.readBool()
            case "collapsed": collapsed = try reader.readBool()
            case "data": changesData = try reader.readBool()
            case "settings": changesSettings = try reader.readBool()
            case "from": from = try PastChange.Place(from: &reader)
            case "to": to = try PastChange.Place(from: &reader)
            default: reader.skip()
            }
        }
    }
}

extension PastChange.Place {
    fileprivate init(from reader: inout JSONReader) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "section": section = try reader.readString()
            case "parent": parent = try reader.readString()
            case "below": below = try reader.readString()
            default: reader.skip()
            }
        }
    }
}
