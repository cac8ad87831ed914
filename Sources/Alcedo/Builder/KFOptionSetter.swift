import Foundation

/// A type whose options are set with chained calls: ``KF/Builder``, ``KFImage`` and ``KFAnimatedImage``.
@MainActor
public protocol KFOptionSetter {
    /// The present options.
    var options: KingfisherParsedOptionsInfo { get nonmutating set }

    /// Called with the error if the load fails.
    var onFailureDelegate: Delegate<KingfisherError, Void> { get }

    /// Called with the result if the load succeeds.
    var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { get }

    /// Called with the download's progress: bytes received and total bytes.
    var onProgressDelegate: Delegate<(Int64, Int64), Void> { get }

    /// The object that each call changes and returns: a class returns itself, a value type a copy.
    func copyForMutation() -> Self
}

extension KF.Builder: KFOptionSetter {}

extension KFOptionSetter {
    /// Returns this object.
    public func copyForMutation() -> Self { self }

    func setting(_ change: (inout KingfisherParsedOptionsInfo) -> Void) -> Self {
        let copy = copyForMutation()
        change(&copy.options)
        return copy
    }
}

// MARK: - Callbacks

extension KFOptionSetter {
    /// Sets a block that is called with the download's progress, on the main thread.
    public func onProgress(_ block: DownloadProgressBlock?) -> Self {
        let copy = copyForMutation()
        copy.onProgressDelegate.set(block.map { block in { block($0.0, $0.1) } })
        return copy
    }

    /// Sets a block that is called with the loaded image.
    public func onSuccess(_ block: ((RetrieveImageResult) -> Void)?) -> Self {
        let copy = copyForMutation()
        copy.onSuccessDelegate.set(block)
        return copy
    }

    /// Sets a block that is called with the error of a failed load.
    public func onFailure(_ block: ((KingfisherError) -> Void)?) -> Self {
        let copy = copyForMutation()
        copy.onFailureDelegate.set(block)
        return copy
    }
}
