package whatwaits.look;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A JVM on this machine.
 *
 * @param pid the number of its process
 * @param main the main class or the jar, without arguments
 * @param java the version in the file {@code release} of its home; null if there is no such file
 * @param upSeconds since its start; NaN where the system does not say
 */
public record LocalJvm(long pid, String main, String java, double upSeconds) {

    private static final Pattern VERSION = Pattern.compile("(?m)^JAVA_VERSION=\"([^\"]+)\"");

    /** Main classes that only call the program's: those of {@code java File.java}. */
    private static final Set<String> LAUNCHERS = Set.of(
            "jdk.compiler/com.sun.tools.javac.launcher.Main",
            "jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher");

    /** The JVMs as each announces itself: by a file of counters, which jps also reads. */
    static List<LocalJvm> list() {
        var found = new ArrayList<LocalJvm>();
        for (var jvm : VirtualMachine.list()) {
            ProcessHandle.of(Long.parseLong(jvm.id())).ifPresent(process -> {
                found.add(of(process, main(jvm.displayName())));
            });
        }
        found.sort(Comparator.comparing(LocalJvm::upSeconds));
        return found;
    }

    /** {@return the folder in which it runs; {@code an unknown folder} where the system does not say} */
    public String folder() {
        try {
            return Files.readSymbolicLink(Path.of("/proc", String.valueOf(pid), "cwd"))
                    .toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "an unknown folder";
        }
    }

    static LocalJvm of(ProcessHandle process, String main) {
        return new LocalJvm(process.pid(), main, version(process), upSeconds(process));
    }

    /** The program in a command without JVM options: its main class or its jar. */
    static String main(String command) {
        var words = command.strip().split("\\s+");
        boolean called = LAUNCHERS.contains(words[0]) || callers().contains(words[0]);
        var main = called && words.length > 1 ? words[1] : words[0];
        return main.isEmpty() ? "(unknown)" : main;
    }

    /**
     * Main classes that only call the program's. A library that starts programs so names its class in a resource
     * {@code META-INF/whatwaits/callers}.
     */
    static Set<String> callers() {
        var loader = Thread.currentThread().getContextClassLoader();
        var named = new HashSet<String>();
        try {
            for (var list : Collections.list(loader.getResources("META-INF/whatwaits/callers"))) {
                try (var text = list.openStream()) {
                    var lines = new String(text.readAllBytes(), StandardCharsets.UTF_8).lines();
                    lines.forEach(named::add);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return named;
    }

    static double upSeconds(ProcessHandle process) {
        var start = process.info().startInstant();
        return start.isEmpty() ? Double.NaN : start.get().until(Instant.now(), ChronoUnit.MILLIS) / 1e3;
    }

    /** The version named in the home of its program: asking the JVM would mean attaching to it. */
    private static String version(ProcessHandle process) {
        try {
            var java = Path.of(process.info().command().orElse(null)).toRealPath();
            var file = java.getParent().resolveSibling("release");
            var release =
                    VERSION.matcher(Places.read(file, "", () -> Files.readString(file, StandardCharsets.ISO_8859_1)));
            return release.find() ? release.group(1) : null;
        } catch (IOException | NullPointerException e) {
            return null;
        }
    }
}
