import ReorderEngine

/// New values for parts of a task; nil keeps the current value.
public typealias TaskChanges = TaskUpdate
