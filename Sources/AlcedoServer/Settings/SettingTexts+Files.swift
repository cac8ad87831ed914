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
        let limits = DecodeLimits { $0.isolation = settings.responses.isolation }
        try check(settings.responses.watermark, "WATERMARK", limits)
        try check(settings.sources.fallback, "FALLBACK_IMAGE", limits)
    }

    private func check(_ image: FixedImage?, _ prefix: String, _ limits: DecodeLimits) throws(SettingFailure)
    {
        let (data, setting, place): (Data, String, String)
        switch image {
        // The network may not be there yet.
        case nil, .url: return
        case .data(let bytes): (data, setting, place) = (bytes, name(of: "\(prefix)_DATA"), "its value")
        case .path(let path):
            (setting, place) = (name(of: "\(prefix)_PATH"), path)
            do { data = try Data(contentsOf: URL(filePath: path)) } catch {
                let reason = access(path, R_OK) == 0 ? "it is no file" : String(cString: strerror(errno))
                throw SettingFailure("\(setting) takes a file, and \(path) can't be read: \(reason)")
            }
        }
        do throws(CodecError) {
            _ = try EncodedImage(data, limits: limits, onlyFirstFrame: true, mayBeReduced: true)
        } catch {
            throw SettingFailure(
                "\(setting) takes an image, and \(place) is none that this build reads: \(error)")
        }
    }
}
