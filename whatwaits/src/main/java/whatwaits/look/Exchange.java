package whatwaits.look;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * A folder in the file system of a watched JVM, through which files are passed. Its user may be a hostile one and this
 * one root, so that a link laid there would show or delete another user's file. The folder is therefore this user's,
 * and only one inside it the JVM's: a file that the JVM wrote is first moved out of there, where nobody can replace it
 * any more, then checked, then read. Each step goes through a descriptor of the folder, never again through its path.
 */
final class Exchange implements Folder {

    private static final String THEIRS = "jvm";

    /** Longer than any look. */
    private static final Duration ABANDONED = Duration.ofHours(1);

    private static final String PIPE = "pipe";

    /** Where the JVM may write, the first that works. */
    private static final List<String> PARENTS =
            Target.isLinux() ? List.of("/tmp", "/var/tmp", "/dev/shm") : List.of(System.getProperty("java.io.tmpdir"));

    private final Target target;
    private final String path;

    /** Descriptors of the parent, of the folder, and of the JVM's folder in it; none outside Linux. */
    private SecureDirectoryStream<Path> parent;

    private SecureDirectoryStream<Path> own;
    private SecureDirectoryStream<Path> theirs;

    /** Whose the JVM's folder is. */
    private UserPrincipal owner;

    private boolean pipe;

    /** What was put into the folder: nothing else is removed from it. */
    private static final List<Path> MADE = List.of(Path.of(THEIRS), Path.of(PIPE));

    private Exchange(Target target, String parent) {
        this.target = target;
        path = Path.of(parent, "whatwaits-%d-%x".formatted(target.pid(), new SecureRandom().nextLong()))
                .toString();
    }

    /**
     * Makes one in the first place that has so many bytes free; null if there is none.
     *
     * @param piped whether a pipe is made, where this system has them
     */
    static Exchange with(Target target, long room, boolean piped) throws InterruptedException {
        for (String parent : PARENTS) {
            var exchange = new Exchange(target, parent);
            try {
                exchange.make(parent, piped);
                if (exchange.room() >= room) {
                    return exchange;
                }
            } catch (IOException | RuntimeException e) {
                // the next one
            } catch (InterruptedException e) {
                exchange.close();
                throw e;
            }
            exchange.close();
        }
        return null;
    }

    private void make(String above, boolean piped) throws IOException, InterruptedException {
        if (!Target.isLinux()) {
            Files.createDirectory(Path.of(path));
            Files.createDirectory(Path.of(path, THEIRS));
            return;
        }
        parent = secure(Files.newDirectoryStream(target.seen("/")));
        for (Path part : Path.of(above)) {
            var next = parent.newDirectoryStream(part, NOFOLLOW_LINKS);
            parent.close();
            parent = secure(next);
        }
        boolean foreign = !target.user().equals(Target.me());
        // whoever owns it could put another folder in the place of the one that is made here
        require(!foreign || attributes(parent).owner().equals(Target.me()));
        removeAbandoned();
        var name = Path.of(path).getFileName();
        var mine = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Files.createDirectory(named(parent).resolve(name), mine);
        own = secure(parent.newDirectoryStream(name, NOFOLLOW_LINKS));
        // one who may mount in the process's file system can still do that; then nothing may be made, given or removed
        var found = attributes(own);
        require(!foreign
                || found.owner().equals(Target.me())
                        && found.permissions().equals(PosixFilePermissions.fromString("rwx------"))
                        && !own.iterator().hasNext());
        var here = named(own);
        Files.createDirectory(here.resolve(THEIRS), mine);
        theirs = secure(own.newDirectoryStream(Path.of(THEIRS), NOFOLLOW_LINKS));
        if (piped) {
            makePipe(here.resolve(PIPE));
        }
        give(theirs.getFileAttributeView(PosixFileAttributeView.class));
        owner = attributes(theirs).owner();
        // others may pass through it, as the JVM must, but neither list nor change it
        own.getFileAttributeView(PosixFileAttributeView.class)
                .setPermissions(PosixFilePermissions.fromString("rwx--x--x"));
    }

    private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream) throws IOException {
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        stream.close();
        throw new IOException("this system has no descriptors of folders");
    }

    /** The name that a descriptor has, wherever the folder's path leads meanwhile: the JDK makes nothing by a descriptor. */
    private static Path named(SecureDirectoryStream<Path> folder) throws IOException {
        var key = attributes(folder).fileKey();
        var own = "/proc/%d/fd".formatted(ProcessHandle.current().pid());
        try (var open = Files.newDirectoryStream(Path.of(own))) {
            for (Path each : open) {
                if (Files.exists(each)
                        && key.equals(Files.readAttributes(each, BasicFileAttributes.class)
                                .fileKey())) {
                    return each;
                }
            }
        }
        throw new IOException("this process does not see its descriptors");
    }

    private static void require(boolean safe) throws IOException {
        if (!safe) {
            throw new IOException("another user can change the folder");
        }
    }

    private static PosixFileAttributes attributes(SecureDirectoryStream<Path> folder) throws IOException {
        return folder.getFileAttributeView(PosixFileAttributeView.class).readAttributes();
    }

    /** Gives a file to the user of the JVM. */
    private void give(PosixFileAttributeView file) throws IOException {
        if (!file.readAttributes().owner().equals(target.user())) {
            file.setGroup(target.group());
            file.setOwner(target.user());
        }
    }

    private void makePipe(Path here) throws IOException, InterruptedException {
        try {
            var made = new ProcessBuilder("mkfifo", "-m", "600", here.toString()).start();
            pipe = made.waitFor() == 0;
        } catch (IOException e) {
            return; // no such command: a file does as well
        }
        if (pipe) {
            // giving it opens it, which waits for the other end: so that is here
            var end = openPipe(true);
            try {
                give(own.getFileAttributeView(Path.of(PIPE), PosixFileAttributeView.class, NOFOLLOW_LINKS));
            } finally {
                end.close();
            }
        }
    }

    /** Whether there is a pipe, which the JVM can only write to. */
    boolean hasPipe() {
        return pipe;
    }

    /** The pipe, as the JVM names it. */
    String pipe() {
        return path + "/" + PIPE;
    }

    /** Opens the pipe for both directions: that does not wait for the other end, and the JVM need not wait for this one. */
    SeekableByteChannel openPipe(boolean keeps) throws IOException {
        return own.newByteChannel(
                Path.of(PIPE), keeps ? Set.of(READ, WRITE, NOFOLLOW_LINKS) : Set.of(READ, NOFOLLOW_LINKS));
    }

    @Override
    public String file(String name) {
        return Path.of(path, THEIRS, name).toString();
    }

    @Override
    public long room() throws IOException {
        return Files.getFileStore(target.seen(path)).getUsableSpace();
    }

    /**
     * {@return what the JVM wrote} The file is removed.
     *
     * @throws IOException if it is a link, no file, another user's, or too large
     */
    @Override
    public byte[] read(String name) throws IOException {
        var file = Path.of(name);
        if (own == null) {
            var bytes = Files.readAllBytes(Path.of(file(name)));
            Files.delete(Path.of(file(name)));
            return bytes;
        }
        theirs.move(file, own, file);
        try {
            var view = own.getFileAttributeView(file, PosixFileAttributeView.class, NOFOLLOW_LINKS);
            var found = view.readAttributes();
            if (!found.isRegularFile() || !found.owner().equals(owner)) {
                throw new IOException("%s, which its JVM should write, is %s: another program of its user put it there"
                        .formatted(
                                file(name),
                                found.isRegularFile() ? "a file of " + found.owner() : "a link or no file"));
            }
            try (var channel = own.newByteChannel(file, Set.of(READ, NOFOLLOW_LINKS))) {
                var bytes = Channels.newInputStream(channel).readNBytes(Commands.MOST + 1);
                if (bytes.length > Commands.MOST) {
                    throw new IOException("%s has more than %d MB: look for a shorter time"
                            .formatted(file(name), Commands.MOST >> 20));
                }
                return bytes;
            }
        } finally {
            delete(own, file);
        }
    }

    /** Removes the folder and what is in it; a link is removed, not followed. */
    @Override
    public void close() {
        try {
            if (Target.isLinux()) {
                if (theirs != null) {
                    empty(own, theirs);
                }
                parent.deleteDirectory(Path.of(path).getFileName());
            } else {
                remove(Path.of(path));
            }
        } catch (IOException | RuntimeException e) {
            // gone with the process's file system, or its user has put something there that is not ours to remove
        }
        for (var open : new SecureDirectoryStream<?>[] {theirs, own, parent}) {
            try {
                if (open != null) {
                    open.close();
                }
            } catch (IOException e) {
                // nothing is kept
            }
        }
    }

    private static void empty(SecureDirectoryStream<Path> own, SecureDirectoryStream<Path> theirs) throws IOException {
        // so that nothing comes in while it is emptied
        theirs.getFileAttributeView(PosixFileAttributeView.class).setOwner(Target.me());
        theirs.forEach(file -> delete(theirs, file.getFileName()));
        MADE.forEach(file -> delete(own, file));
    }

    /** Removes what this user's commands have left that were killed. */
    private void removeAbandoned() {
        for (Path each : parent) {
            var name = each.getFileName();
            if (!name.toString().matches("whatwaits-\\d+-[0-9a-f]{1,16}")) {
                continue;
            }
            try (var left = secure(parent.newDirectoryStream(name, NOFOLLOW_LINKS))) {
                var about = attributes(left);
                var age = Duration.between(about.lastModifiedTime().toInstant(), Instant.now());
                if (about.owner().equals(Target.me()) && age.compareTo(ABANDONED) > 0) {
                    try (var inside = secure(left.newDirectoryStream(Path.of(THEIRS), NOFOLLOW_LINKS))) {
                        empty(left, inside);
                    }
                    parent.deleteDirectory(name);
                }
            } catch (IOException e) {
                // another user's, or something has been put there that is not ours to remove
            }
        }
    }

    private static void delete(SecureDirectoryStream<Path> folder, Path name) {
        try {
            if (name.toString().equals(THEIRS)) {
                folder.deleteDirectory(name);
            } else {
                folder.deleteFile(name);
            }
        } catch (IOException e) {
            // a folder: nothing that was written here
        }
    }

    private static void remove(Path folder) throws IOException {
        for (Path part : List.of(folder.resolve(THEIRS), folder)) {
            try (var files = Files.newDirectoryStream(part)) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
            Files.delete(part);
        }
    }
}
