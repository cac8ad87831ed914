import Alcedo
import Foundation

extension AlamofireExtension where ExtendedType: Image {
    /// Applies a CoreImage filter; an animation stays an animation.
    ///
    /// - Parameters:
    ///   - name: the CoreImage name, such as `CISepiaTone`.
    ///   - parameters: the CoreImage parameters; missing ones have CoreImage's defaults.
    /// - Returns: the filtered image; nil on failure. The first failure per name is sent as a `Diagnostic`.
    public func imageFiltered(
        withCoreImageFilter name: String, parameters: [String: Any]? = nil
    ) -> Image? {
        do throws(CoreImageFilterError) {
            return try filtered(withCoreImageFilter: name, parameters: parameters ?? [:])
        } catch {
            FilterReport.report(error, in: name)
            return nil
        }
    }

    /// Applies a CoreImage filter; throws instead of returning nil, unlike
    /// ``imageFiltered(withCoreImageFilter:parameters:)``.
    public func filtered(
        withCoreImageFilter name: String, parameters: [String: Any] = [:]
    ) throws(CoreImageFilterError) -> Image {
        let transform = try CoreImageFilters.transform(name, parameters)
        do throws(CodecError) { return try (type as Image).mapped(transform) } catch {
            throw .imageCannotBeFiltered("\(error)")
        }
    }
}
