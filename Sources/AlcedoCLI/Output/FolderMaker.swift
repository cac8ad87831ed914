import Alcedo
import Foundation
import Glibc

/// Creates the folders of output files.
enum FolderMaker {
    /// Creates the folder of the file at `path`, and its parents, if they do not exist.
    static func makeFolder(ofFileAt path: String) throws(Failure) {
        let folder = (path as NSString).deletingLastPathComponent
        let code = folder.isEmpty ? 0 : make(folder)
        guard code == 0 else {
            throw Failure(
                "\(path): cannot be written, because the folder \(folder) cannot be made "
                    + "(\(String(cString: strerror(code))))")
        }
    }

    /// Creates a folder and its parents; returns `errno`, or 0 if the folder exists.
    static func make(_ folder: String) -> Int32 {
        if mkdir(folder.systemBytes, 0o777) == 0 { return 0 }
        switch errno {
        case EEXIST:
            return isFolder(folder) ? 0 : ENOTDIR
        case ENOENT:
            let parent = (folder as NSString).deletingLastPathComponent
            guard !parent.isEmpty, parent != folder else { return ENOENT }
            let code = make(parent)
            // Another job may have created it meanwhile.
            return code != 0 || mkdir(folder.systemBytes, 0o777) == 0 || errno == EEXIST ? code : errno
        case let code:
            return code
        }
    }

    /// Whether there is a folder at `path`, or a link to one.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path.systemBytes, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
