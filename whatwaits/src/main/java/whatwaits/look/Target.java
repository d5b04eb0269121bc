package whatwaits.look;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A process that is to be looked at, as the system describes it. Reading this sends it no signal: one that reaches a
 * stopped process stays there until it is resumed, and one that a program does not catch ends it.
 *
 * @param pid its number here
 * @param inside its number where it runs: in a container, another one
 * @param root its file system, as seen from here; {@code /} for most, and always outside Linux
 */
record Target(long pid, long inside, Path root) {

    private static final Path PROC = Path.of("/proc");
    private static final Path GROUPS = Path.of("/sys/fs/cgroup");
    private static final Path HERE = Path.of("/");
    private static final UserPrincipalLookupService PRINCIPALS =
            FileSystems.getDefault().getUserPrincipalLookupService();
    private static final int QUIT = 3;
    private static final Duration GOING = Duration.ofSeconds(2);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    /** Where to look for another one. */
    static final String LISTED = "whatwaits list, or Jvm.list(), shows the running JVMs";

    /** Of a process that has ended and keeps its number until its parent asks how. */
    private static final String ENDED = "[ZX].*";

    /** The options of the launcher that are followed by their value. */
    private static final Set<String> WITH_VALUE = Set.of(
            "-cp",
            "-classpath",
            "--class-path",
            "-p",
            "--module-path",
            "--upgrade-module-path",
            "--add-modules",
            "--limit-modules",
            "--add-exports",
            "--add-opens",
            "--add-reads",
            "--enable-native-access",
            "--describe-module");

    private static final Pattern JVM = Pattern.compile("/libjvm\\.so( \\(deleted\\))?$");

    /** Whether the system shows its processes as files. */
    static boolean isLinux() {
        return Files.isReadable(PROC.resolve("self/status"));
    }

    /**
     * {@return a process that can be attached to}
     *
     * @throws IllegalArgumentException with one sentence that says why not, and what to do instead
     */
    static Target of(long pid) {
        var process = ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
        if (process.isEmpty()) {
            throw new IllegalArgumentException("there is no process %d: %s".formatted(pid, LISTED));
        }
        if (!isLinux()) {
            return new Target(pid, pid, HERE);
        }
        var status = status(pid);
        var state = status.getOrDefault("State", "");
        if (state.matches(ENDED)) {
            throw new IllegalArgumentException(
                    "process %d has ended, and only its parent has not noticed: %s".formatted(pid, LISTED));
        }
        if (state.matches("[Tt].*") || isFrozen(pid)) {
            throw new IllegalArgumentException("process %d is stopped (state %s): resume it, such as with kill -CONT %d"
                    .formatted(pid, state.replaceFirst(" .*", ""), pid));
        }
        requireRights(pid, process.get().info().user().orElse("another user"), status);
        requireJvm(pid, process.get(), status);
        var root = PROC.resolve(String.valueOf(pid)).resolve("root");
        var numbers = status.getOrDefault("NSpid", String.valueOf(pid)).split("\\s+");
        return new Target(pid, Long.parseLong(numbers[numbers.length - 1]), isSame(root.resolve("tmp")) ? HERE : root);
    }

    /** This process itself. */
    static Target here() {
        long pid = ProcessHandle.current().pid();
        return new Target(pid, pid, HERE);
    }

    /** Whether a process has this one's files; of one with more rights than this one only root may ask. */
    private static boolean isSame(Path tmp) {
        try {
            return Files.isSameFile(tmp, Path.of("/tmp"));
        } catch (AccessDeniedException e) {
            return true;
        } catch (IOException | SecurityException e) {
            return false;
        }
    }

    private static Map<String, String> status(long pid) {
        return status(PROC.resolve(String.valueOf(pid)));
    }

    private static Map<String, String> status(Path process) {
        var values = new HashMap<String, String>();
        for (String line : text(process.resolve("status")).split("\n")) {
            var pair = line.split(":\\s*", 2);
            values.put(pair[0], pair.length < 2 ? "" : pair[1].strip());
        }
        return values;
    }

    /** How many threads the system counts; 0 where it does not say. */
    int threads() {
        return isLinux() ? Integer.parseInt(status(pid).getOrDefault("Threads", "0")) : 0;
    }

    /** Whether a container is paused: its processes are not in the state of stopped ones. */
    private static boolean isFrozen(long pid) {
        return text(PROC.resolve(String.valueOf(pid)).resolve("cgroup"))
                .lines()
                .map(line -> line.split(":", 3))
                .filter(group -> group.length == 3)
                .anyMatch(group -> group[1].isEmpty()
                        ? text(GROUPS.resolve("." + group[2] + "/cgroup.events"))
                                .contains("frozen 1")
                        : group[1].equals("freezer")
                                && text(GROUPS.resolve("freezer/." + group[2] + "/freezer.state"))
                                        .startsWith("FR"));
    }

    private static void requireRights(long pid, String user, Map<String, String> status) {
        var own = text(PROC.resolve("self/status"));
        var mine = Pattern.compile("(?m)^Uid:\\s+\\d+\\s+(\\d+)").matcher(own);
        var his = status.getOrDefault("Uid", "").split("\\s+");
        if (mine.find()
                && his.length > 1
                && !mine.group(1).equals("0")
                && !mine.group(1).equals(his[1])) {
            throw new IllegalArgumentException(
                    "process %d belongs to the user %s, and only that user and root may look at it: put sudo -u %s before this command"
                            .formatted(pid, user, user));
        }
    }

    private static void requireJvm(long pid, ProcessHandle process, Map<String, String> status) {
        if (!isJvm(process)) {
            throw new IllegalArgumentException(
                    "process %d (%s) is not a JVM, or it is a native image, which cannot be attached to: %s"
                            .formatted(pid, status.getOrDefault("Name", "unknown"), LISTED));
        }
        var options = Stream.concat(
                Stream.of(words(pid, "cmdline")),
                Stream.of(words(pid, "environ"))
                        .filter(variable ->
                                variable.matches("(?s)(JDK_JAVA_OPTIONS|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS)=.*")));
        if (options.anyMatch(option -> option.contains("-XX:+DisableAttachMechanism"))) {
            throw new IllegalArgumentException(
                    "process %d lets nobody attach: start it without -XX:+DisableAttachMechanism".formatted(pid));
        }
    }

    private static String[] words(long pid, String file) {
        return text(PROC.resolve(String.valueOf(pid)).resolve(file)).split("\0");
    }

    /** Since its start; NaN if it has ended, or the system does not say. */
    double upSeconds() {
        return ProcessHandle.of(pid).map(LocalJvm::upSeconds).orElse(Double.NaN);
    }

    /** Whether it catches the signal that starts the attach mechanism; any other process would be ended by it. */
    boolean catchesSignal() {
        var caught = status(pid).getOrDefault("SigCgt", "0");
        return (Long.parseUnsignedLong(caught, 16) >> (QUIT - 1) & 1) == 1;
    }

    /**
     * By what it maps into its memory. Of a process with more rights than this one, such as ambient capabilities, only
     * root sees that: the name of its program decides then, and it gets no signal that it does not catch.
     */
    private static boolean isJvm(ProcessHandle process) {
        try (var mapped =
                Files.lines(PROC.resolve(String.valueOf(process.pid())).resolve("maps"))) {
            // a JDK that was replaced while it runs is named as deleted
            return mapped.anyMatch(line -> JVM.matcher(line).find());
        } catch (AccessDeniedException e) {
            return words(process.pid(), "cmdline")[0].matches("(.*/)?java");
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /** A file of the process, as this one reaches it. */
    Path seen(String file) {
        return root.equals(HERE) ? Path.of(file) : root.resolve(file.replaceFirst("^/+", ""));
    }

    /** The folder in which it runs, as this process reaches it. */
    Path directory() {
        return isLinux() ? PROC.resolve(String.valueOf(pid)).resolve("cwd") : Path.of("");
    }

    /** The user as whom the process runs; its folder in {@code /proc} may be root's, if the process wishes so. */
    UserPrincipal user() throws IOException {
        return user(PROC.resolve(String.valueOf(pid)));
    }

    /** The user as whom this process runs. */
    static UserPrincipal me() throws IOException {
        return user(PROC.resolve("self"));
    }

    private static UserPrincipal user(Path process) throws IOException {
        return PRINCIPALS.lookupPrincipalByName(effective(process, "Uid"));
    }

    /** The group of its files. */
    GroupPrincipal group() throws IOException {
        return PRINCIPALS.lookupPrincipalByGroupName(effective(PROC.resolve(String.valueOf(pid)), "Gid"));
    }

    private static String effective(Path process, String ids) throws IOException {
        var named = status(process).get(ids);
        if (named == null) {
            throw new IOException("it has ended");
        }
        return named.split("\\s+")[1];
    }

    /** The JVMs of this machine that this user may look at, the youngest first; by what they map into their memory. */
    static List<LocalJvm> all() {
        if (!isLinux()) {
            return LocalJvm.list();
        }
        var named = new HashMap<Long, LocalJvm>();
        LocalJvm.list().forEach(jvm -> named.put(jvm.pid(), jvm));
        var found = new ArrayList<LocalJvm>();
        ProcessHandle.allProcesses()
                .filter(Target::isJvm)
                .forEach(process -> found.add(named.getOrDefault(
                        process.pid(), LocalJvm.of(process, LocalJvm.main(command(process.pid()))))));
        found.sort((one, other) -> Double.compare(one.upSeconds(), other.upSeconds()));
        return found;
    }

    /** What follows the options of the JVM: the main class or the jar, and its arguments. */
    private static String command(long pid) {
        var words = words(pid, "cmdline");
        for (int i = 1; i < words.length; i++) {
            if (words[i].equals("-jar") || words[i].equals("-m") || words[i].equals("--module")) {
                return i + 1 < words.length ? words[i + 1] : "";
            }
            if (WITH_VALUE.contains(words[i])) {
                i++;
            } else if (!words[i].startsWith("-") && !words[i].startsWith("@")) {
                return String.join(" ", List.of(words).subList(i, words.length));
            }
        }
        return "";
    }

    /** A small file of the system; empty if it cannot be read. */
    private static String text(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException | RuntimeException e) {
            return "";
        }
    }

    /** The CPU time that it has used, in seconds; NaN where the system does not say. */
    double cpuSeconds() {
        var used = ProcessHandle.of(pid).flatMap(process -> process.info().totalCpuDuration());
        return used.map(time -> time.toNanos() / 1e9).orElse(Double.NaN);
    }

    /** Whether the process still runs: an ending one closes its sockets a moment before it is gone. */
    boolean remains() {
        long start = System.nanoTime();
        while (ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent()
                && !status(pid).getOrDefault("State", "").matches(ENDED)) {
            if (System.nanoTime() - start > GOING.toNanos()) {
                return true;
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
        return false;
    }
}
