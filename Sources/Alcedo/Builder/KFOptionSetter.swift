import Foundation

/// Something whose options are set by calls in a chain, such as ``KF/Builder``.
@MainActor
public protocol KFOptionSetter {
    /// The options so far.
    var options: KingfisherParsedOptionsInfo { get nonmutating set }

    /// Told why the load failed.
    var onFailureDelegate: Delegate<KingfisherError, Void> { get }

    /// Told what the load brought.
    var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { get }

    /// Told how far the download has come: bytes received, and bytes in all.
    var onProgressDelegate: Delegate<(Int64, Int64), Void> { get }

    /// What each call changes and returns: this very object, or for a value type a copy.
    func copyForMutation() -> Self
}

extension KF.Builder: KFOptionSetter {}

extension KFOptionSetter {
    /// This very object.
    public func copyForMutation() -> Self { self }

    func setting(_ change: (inout KingfisherParsedOptionsInfo) -> Void) -> Self {
        let copy = copyForMutation()
        change(&copy.options)
        return copy
    }
}

// MARK: - Being told

extension KFOptionSetter {
    /// Sets what is told of the download's progress, on the main thread.
    public func onProgress(_ block: DownloadProgressBlock?) -> Self {
        let copy = copyForMutation()
        copy.onProgressDelegate.delegate(on: copy.onProgressDelegate) { (_, progress: (Int64, Int64)) in
            block?(progress.0, progress.1)
        }
        return copy
    }

    /// Sets what is told of the image.
    public func onSuccess(_ block: ((RetrieveImageResult) -> Void)?) -> Self {
        let copy = copyForMutation()
        copy.onSuccessDelegate.delegate(on: copy.onSuccessDelegate) { (_, result: RetrieveImageResult) in
            block?(result)
        }
        return copy
    }

    /// Sets what is told of a failure.
    public func onFailure(_ block: ((KingfisherError) -> Void)?) -> Self {
        let copy = copyForMutation()
        copy.onFailureDelegate.delegate(on: copy.onFailureDelegate) { (_, error: KingfisherError) in
            block?(error)
        }
        return copy
    }
}
