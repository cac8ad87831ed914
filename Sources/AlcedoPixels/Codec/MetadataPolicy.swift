/// What an encoded image keeps of the metadata of the file that it was decoded from.
///
/// The orientation becomes 1, as the pixels are upright. Thumbnails are never kept, as they show the picture
/// before it was changed, nor are XMP's announcements of what the new file does not have: films, depth maps, and
/// the gain map of a JPEG unless ``all`` or ``allButLocation`` has kept it.
public enum MetadataPolicy: String, Sendable, Hashable, CaseIterable {
    case none

    /// The copyright notice and the artist, in EXIF; XMP's or IPTC's if EXIF has none.
    case copyright

    /// Everything that does not say where: without GPS, cities and countries in XMP and IPTC, and without
    /// maker notes, in which nobody but their makers can find a place. A caption that names one stays.
    case allButLocation

    /// Everything.
    ///
    /// Maker notes are kept where the whole structure of EXIF is: not from or to a TIFF, where their offsets
    /// would be wrong. Previews in them stay.
    case all
}
