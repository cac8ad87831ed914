import Alcedo
import AlcedoPixels
import Foundation
import Glibc

extension SettingTexts {
    /// Checks what settings name in the file system: without it, every request that needs it would fail.
    package func checkFiles(of settings: ServerSettings) throws(SettingFailure) {
        if let root = settings.sources.localRoot {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: root, isDirectory: &isFolder) else {
                throw SettingFailure(
                    "\(name(of: "LOCAL_FILESYSTEM_ROOT")) takes a folder, and \(root) does not exist")
            }
            guard isFolder.boolValue, access(root, R_OK | X_OK) == 0 else {
                throw SettingFailure(
                    "\(name(of: "LOCAL_FILESYSTEM_ROOT")) takes a folder that can be read, and \(root) is none"
                )
            }
        }
        let limits = DecodeLimits { $0.sandbox = settings.responses.isolation }
        try check(settings.responses.watermark, "WATERMARK", limits)
        try check(settings.sources.fallback, "FALLBACK_IMAGE", limits)
    }

    private func check(_ image: FixedImage?, _ prefix: String, _ limits: DecodeLimits) throws(SettingFailure)
    {
        let (data, setting, place): (Data, String, String)
        switch image {
        case nil, .url: return
        case .data(let bytes): (data, setting, place) = (bytes, name(of: "\(prefix)_DATA"), "its value")
        case .path(let path):
            (setting, place) = (name(of: "\(prefix)_PATH"), path)
            do { data = try Data(contentsOf: URL(filePath: path)) } catch {
                let reason = access(path, R_OK) == 0 ? "it is no file" : String(cString: strerror(errno))
                throw SettingFailure("\(setting) takes a file, and \(path) can't be read: \(reason)")
            }
        }
        try check(data, limits, setting, place)
    }

    private func check(
        _ data: Data, _ limits: DecodeLimits, _ setting: String, _ place: String
    ) throws(SettingFailure) {
        do throws(CodecError) {
            _ = try EncodedImage(data, limits: limits, onlyFirstFrame: true, mayBeReduced: true)
        } catch {
            throw SettingFailure(
                "\(setting) takes an image, and \(place) is none that this build reads: \(error)")
        }
    }

    /// Loads the images that settings name by their URLs, which the engine then has; returns warnings.
    ///
    /// A host that does not respond only causes a warning, as it may start after this one.
    package func checkURLs(
        of settings: ServerSettings, with engine: ServerEngine
    ) async throws(SettingFailure) -> [String] {
        let loader = SourceLoader(rules: settings.sources, engine: engine)
        let limits = DecodeLimits { $0.sandbox = settings.responses.isolation }
        var warnings: [String] = []
        for (image, prefix) in [
            (settings.responses.watermark, "WATERMARK"), (settings.sources.fallback, "FALLBACK_IMAGE"),
        ] {
            guard let image, case .url(let url) = image else { continue }
            let setting = name(of: "\(prefix)_URL")
            let data: Data
            do throws(RequestFailure) {
                data = try await engine.fixedImages.data(
                    of: image, with: loader, until: .now + .seconds(settings.sources.downloadTimeout + 1))
            } catch {
                let reason = "the image of \(setting) can't be loaded: \(error.reason)"
                guard error.isPassing else { throw SettingFailure(reason) }
                warnings.append("\(reason); results that need it fail until it can")
                continue
            }
            try check(data, limits, setting, url)
        }
        return warnings
    }
}
