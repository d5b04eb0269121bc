package threadlab.inspect;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.LongColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/** The JVMs on this machine, as each announces itself: by a file of counters, which jps also reads. */
final class LocalJvms {

    private static final Pattern VERSION = Pattern.compile("(?m)^JAVA_VERSION=\"([^\"]+)\"");

    /**
     * Main classes that only call the program's: that of this course's child JVMs, and those of {@code java File.java}.
     */
    private static final Set<String> CALLERS = Set.of(
            "threadlab.child.Guard",
            "jdk.compiler/com.sun.tools.javac.launcher.Main",
            "jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher");

    private record Found(ProcessHandle process, String main) {}

    private LocalJvms() {}

    static Table list() {
        var all = VirtualMachine.list().stream()
                .flatMap(jvm -> ProcessHandle.of(Long.parseLong(jvm.id())).stream()
                        .map(process -> new Found(process, main(jvm.displayName()))))
                .sorted(Comparator.comparing(LocalJvms::upSeconds))
                .toList();
        return Table.create(
                "JVMs of this machine",
                LongColumn.create("pid", all.stream().mapToLong(found -> found.process.pid())),
                StringColumn.create("main", all.stream().map(Found::main)),
                StringColumn.create(
                        "java", all.stream().map(found -> version(found.process).orElse(null))),
                DoubleColumn.create("up (s)", all.stream().mapToDouble(LocalJvms::upSeconds)));
    }

    /** The program in a command without JVM options: its main class or its jar. */
    static String main(String command) {
        var words = command.strip().split("\\s+");
        var main = CALLERS.contains(words[0]) && words.length > 1 ? words[1] : words[0];
        return main.isEmpty() ? "(unknown)" : main;
    }

    private static double upSeconds(Found found) {
        return found.process
                .info()
                .startInstant()
                .map(start -> Duration.between(start, Instant.now()).toMillis() / 1e3)
                .orElse(Double.NaN);
    }

    /** The version named in the home of its program: asking the JVM would mean attaching to it. */
    static Optional<String> version(ProcessHandle process) {
        return process.info().command().flatMap(java -> {
            try {
                var home = Path.of(java).toRealPath().getParent().getParent();
                var release = VERSION.matcher(Files.readString(home.resolve("release"), StandardCharsets.ISO_8859_1));
                return release.find() ? Optional.of(release.group(1)) : Optional.empty();
            } catch (IOException | NullPointerException e) {
                return Optional.empty();
            }
        });
    }
}
