public import Foundation

extension KingfisherError: CustomNSError {
    /// The domain of Kingfisher's errors.
    public static let domain = "com.onevcat.Kingfisher.Error"

    /// ``domain``.
    public static var errorDomain: String { domain }

    /// The description, for `localizedDescription`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

    /// The code of the reason; its first digit is the stage.
    public var errorCode: Int {
        switch self {
        case .requestError(let reason): reason.code
        case .responseError(let reason): reason.code
        case .cacheError(let reason): reason.code
        case .processorError(reason: .processingFailed): 4001
        case .processorError(reason: .processorThrew): 4002
        case .imageSettingError(let reason): reason.code
        }
    }
}

extension KingfisherError.RequestErrorReason {
    fileprivate var code: Int {
        switch self {
        case .emptyRequest: 1001
        case .invalidURL: 1002
        case .taskCancelled: 1003
        case .asyncTaskContextCancelled: 1005
        case .dataProviderCancelled: 1006
        case .managerIsShutDown: 1101
        case .cannotStartThread: 1102
        case .interceptorThrew: 1007
        }
    }
}

extension KingfisherError.ResponseErrorReason {
    fileprivate var code: Int {
        switch self {
        case .invalidURLResponse: 2001
        case .invalidHTTPStatusCode: 2002
        case .URLSessionError: 2003
        case .dataModifyingFailed: 2004
        case .noURLResponse: 2005
        case .cancelledByDelegate: 2006
        }
    }
}

extension KingfisherError.CacheErrorReason {
    fileprivate var code: Int {
        switch self {
        case .fileEnumeratorCreationFailed: 3001
        case .invalidFileEnumeratorContent: 3002
        case .invalidURLResource: 3003
        case .cannotLoadDataFromDisk: 3004
        case .cannotCreateDirectory: 3005
        case .imageNotExisting: 3006
        case .cannotConvertToData: 3007
        case .cannotSerializeImage: 3008
        case .cannotCreateCacheFile: 3009
        case .cannotSetCacheFileAttribute: 3010
        case .diskStorageIsNotReady: 3011
        case .storingForbidden: 3101
        }
    }
}

extension KingfisherError.ImageSettingErrorReason {
    fileprivate var code: Int {
        switch self {
        case .emptySource: 5001
        case .notCurrentSourceTask: 5002
        case .dataProviderError: 5003
        case .alternativeSourcesExhausted: 5004
        }
    }
}
