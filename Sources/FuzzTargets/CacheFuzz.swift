#if DEBUG || FUZZ
    @testable import Alcedo
    @testable import AlcedoCaches
    import Foundation
    import Glibc

    /// The files of a cache folder: an entry with or without a checksum, the usage file, the variant index.
    ///
    /// The first byte selects the file; the rest is its content.
    enum CacheFuzz {
        private static let storage: DiskStorage.Backend<Data>? = {
            let name = "alcedo-fuzz-\(getpid())"
            var config = DiskStorage.Config(
                name: name, sizeLimit: 1 << 20, directory: FileManager.default.temporaryDirectory)
            config.expiration = .never
            return try? DiskStorage.Backend(config: config)
        }()

        static func run(_ bytes: [UInt8]) {
            guard let storage, let kind = bytes.first else { return }
            let content = Data(bytes.dropFirst())
            switch kind % 4 {
            case 0: readAccount(storage, content)
            case 1: readVariants(storage, content)
            default: readEntry(storage, content, hasChecksum: kind % 4 == 2)
            }
        }

        private static func readEntry(
            _ storage: DiskStorage.Backend<Data>, _ content: Data, hasChecksum: Bool
        ) {
            let cache = ImageCache(
                memoryStorage: .init(config: .init(totalCostLimit: 1 << 20)), diskStorage: storage)
            try? storage.store(value: hasChecksum ? content : Data([1]), forKey: "entry")
            let path = storage.cacheFileURL(forKey: "entry").path
            if !hasChecksum {
                let descriptor = open(path, O_WRONLY | O_TRUNC)
                _ = content.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                futimens(descriptor, [timespec(Date()), DiskStamp.never.time])
                close(descriptor)
            }
            let value = try? storage.value(forKey: "entry")
            precondition(value == nil || value == content, "other bytes than those in the file")
            cache.retrieveImageInDiskCache(
                forKey: "entry", options: [.loadDiskFileSynchronously], callbackQueue: .untouch
            ) { result in
                _ = try? result.get()?.pixelSize
            }
            _ = try? storage.removeExpiredValues()
        }

        private static func readAccount(_ storage: DiskStorage.Backend<Data>, _ content: Data) {
            try? content.write(to: storage.directoryURL.appendingPathComponent(".alcedo-size"))
            try? storage.store(value: Data([1, 2, 3]), forKey: "counted")
            _ = try? storage.removeSizeExceededValues()
        }

        private static func readVariants(_ storage: DiskStorage.Backend<Data>, _ content: Data) {
            let folder = storage.directoryURL
            try? content.write(to: folder.appendingPathComponent(VariantIndex.fileName(ofKey: "key")))
            let names = storage.core.variants.names(ofKey: "key")
            precondition(names.allSatisfy { !$0.contains("/") }, "a name outside the folder")
            try? storage.removeVariants(ofKey: "key")
            try? storage.store(
                value: Data([1]), forKey: "key", identifier: "round\n\t%", expiration: nil, writeOptions: [],
                forcedExtension: "png")
            try? storage.removeVariants(ofKey: "key")
            precondition(!storage.isCached(forKey: "key@round\n\t%", forcedExtension: "png"), "not found")
        }
    }
#endif
