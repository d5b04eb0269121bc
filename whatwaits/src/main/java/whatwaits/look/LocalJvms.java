package whatwaits.look;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The JVMs on this machine, as each announces itself: by a file of counters, which jps also reads. */
final class LocalJvms {

    private static final Pattern VERSION = Pattern.compile("(?m)^JAVA_VERSION=\"([^\"]+)\"");

    /** Main classes that only call the program's: those of {@code java File.java}. */
    static final Set<String> LAUNCHERS = Set.of(
            "jdk.compiler/com.sun.tools.javac.launcher.Main",
            "jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher");

    private LocalJvms() {}

    static List<LocalJvm> list(Set<String> callers) {
        return VirtualMachine.list().stream()
                .flatMap(jvm -> ProcessHandle.of(Long.parseLong(jvm.id())).stream()
                        .map(process -> new LocalJvm(
                                process.pid(),
                                main(jvm.displayName(), callers),
                                version(process).orElse(null),
                                upSeconds(process))))
                .sorted(Comparator.comparing(LocalJvm::upSeconds))
                .toList();
    }

    /** The program in a command without JVM options: its main class or its jar. */
    static String main(String command, Set<String> callers) {
        var words = command.strip().split("\\s+");
        boolean called = LAUNCHERS.contains(words[0]) || callers.contains(words[0]);
        var main = called && words.length > 1 ? words[1] : words[0];
        return main.isEmpty() ? "(unknown)" : main;
    }

    private static double upSeconds(ProcessHandle process) {
        return process.info()
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
