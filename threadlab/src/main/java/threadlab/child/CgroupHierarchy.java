package threadlab.child;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where control groups for a controller can be created.
 *
 * @param folder a group in which this process may create another
 * @param second whether it is version 2
 */
record CgroupHierarchy(Path folder, boolean second) {

    static CgroupHierarchy of(Path root, String controller) throws IOException {
        var groups = candidates(root, controller);
        for (var group : groups) {
            if (Files.isWritable(group.folder) && Files.isWritable(group.folder.resolve("cgroup.procs"))) {
                return group;
            }
        }
        throw new IOException("%s a control group for %s"
                .formatted(groups.isEmpty() ? "this system does not have" : "this user may not create", controller));
    }

    /** The groups that contain this process, innermost first; a controller of version 1 does not exist in version 2. */
    private static List<CgroupHierarchy> candidates(Path root, String controller) throws IOException {
        var found = new ArrayList<CgroupHierarchy>();
        for (var line : ownGroups(root)) {
            var parts = line.split(":", 3);
            boolean second = parts[1].isEmpty();
            if (!second && !List.of(parts[1].split(",")).contains(controller)) {
                continue;
            }
            var mount = root.resolve("sys/fs/cgroup").resolve(second ? "" : controller);
            // some containers see only their own group, at the mount point
            for (var group = mount.resolve(parts[2].substring(1)).normalize();
                    group.startsWith(mount);
                    group = group.getParent()) {
                // in version 2 a group that passes its controllers down has no processes of its own
                if (second ? hands(group, controller) : Files.isDirectory(group)) {
                    found.add(new CgroupHierarchy(group, second));
                }
            }
        }
        return found;
    }

    private static List<String> ownGroups(Path root) throws IOException {
        try {
            return Files.readAllLines(root.resolve("proc/self/cgroup"));
        } catch (FileSystemException e) {
            throw new IOException("this system has no control groups", e);
        }
    }

    private static boolean hands(Path group, String controller) throws IOException {
        var file = group.resolve("cgroup.subtree_control");
        return Files.isReadable(file)
                && List.of(Files.readString(file).strip().split(" ")).contains(controller);
    }
}
