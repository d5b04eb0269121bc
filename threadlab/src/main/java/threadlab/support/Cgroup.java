package threadlab.support;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A Linux control group that contains this process; see cgroups(7).
 *
 * @param folder its folder
 * @param second whether it is version 2, where a group has the controllers that the one above hands down
 */
public record Cgroup(Path folder, boolean second) {
    /**
     * The groups of a controller, innermost first, up to the mount point, which is all that some containers see.
     *
     * @param root the root of the file system; another one in tests
     * @param controller such as {@code cpu}
     * @return none where there are no control groups
     */
    public static Stream<Cgroup> ofThisProcess(Path root, String controller) {
        return Proc.lines(root.resolve("proc/self/cgroup")).stream()
                .map(line -> line.split(":", 3))
                .filter(parts -> parts.length == 3)
                .filter(parts ->
                        parts[1].isEmpty() || List.of(parts[1].split(",")).contains(controller))
                .flatMap(parts -> {
                    boolean second = parts[1].isEmpty();
                    var mount = root.resolve("sys/fs/cgroup").resolve(second ? "" : controller);
                    var own = Path.of(mount + parts[2]).normalize();
                    var below = Stream.iterate(own, it -> it.startsWith(mount) && !it.equals(mount), Path::getParent);
                    return Stream.concat(below, Stream.of(mount)).map(folder -> new Cgroup(folder, second));
                });
    }
}
