/// The costs of objects that change while they are stored, such as those of images that are decoded later.
package struct ChangingCosts: Sendable {
    package typealias Object = MemoryStorage.Core.Object

    /// The present cost of an object.
    let cost: @Sendable (_ object: Object) -> Int

    /// Has an object call ``MemoryStorage/Core/correctCost(under:if:)`` after each change for as long as it is stored.
    ///
    /// Returns its present cost; nil if that never changes.
    let observe: @Sendable (_ object: Object, _ storage: MemoryStorage.Core, _ key: HashedKey) -> Int?

    package init(
        cost: @escaping @Sendable (_ object: Object) -> Int,
        observe:
            @escaping @Sendable (
                _ object: Object, _ storage: MemoryStorage.Core, _ key: HashedKey
            ) -> Int?
    ) {
        (self.cost, self.observe) = (cost, observe)
    }
}
