// Reference counts are invisible to the thread sanitizer: an array that leaves a lock shares its storage with the one inside,
// and reading the one while the other grows in place looks like a race (decision 0009). Public only because the compiler does
// not specialise `package` generics in other modules.

extension Array {
    /// A copy with storage of its own, which may leave the lock that guards the array; `Array(array)` would share it.
    @inlinable public var unshared: [Element] { map(\.self) }
}

extension Dictionary {
    /// A copy with storage of its own, which may leave the lock that guards the dictionary.
    @inlinable public var unshared: [Key: Value] { mapValues(\.self) }
}
