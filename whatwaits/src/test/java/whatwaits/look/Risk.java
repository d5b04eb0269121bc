package whatwaits.look;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;

/**
 * How often a dump ends the dumped JVM (JDK-8364343): dumps, one after the other, of a program whose virtual threads mount
 * and unmount all the time. First as they are; then with Flight Recorder, as {@link Look} dumps, which holds them still.
 *
 * <pre>java -cp … whatwaits.look.Risk SECONDS THREADS</pre>
 */
final class Risk {

    private static final String SOURCE = """
            public class Busy {
                static synchronized void pass() {
                    Thread.onSpinWait();
                }
                public static void main(String[] args) throws Exception {
                    for (int i = 0; i < Integer.parseInt(args[0]); i++) {
                        Thread.ofVirtual().start(() -> {
                            try {
                                while (true) {
                                    Thread.sleep(1);
                                    pass();
                                }
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        });
                    }
                    System.out.println("ready");
                    Thread.sleep(600_000);
                }
            }
            """;

    private static final Duration ANSWER = Duration.ofSeconds(30);

    private Risk() {}

    /**
     * Prints a line for each way.
     *
     * @param arguments the seconds for each way; the virtual threads
     * @throws Exception if the program cannot be started
     */
    public static void main(String[] arguments) throws Exception {
        var folder = Files.createTempDirectory("whatwaits-risk-");
        var source = Files.writeString(folder.resolve("Busy.java"), SOURCE);
        ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", folder.toString(), source.toString());
        for (boolean held : new boolean[] {false, true}) {
            long end = System.nanoTime()
                    + Duration.ofSeconds(Long.parseLong(arguments[0])).toNanos();
            int dumps = 0;
            int crashes = 0;
            int silent = 0;
            while (System.nanoTime() < end) {
                var process = start(folder, arguments[1]);
                try {
                    dumps += dump(process, held, folder.resolve("dump.json"), end);
                } catch (Crash crash) {
                    dumps += crash.dumps;
                    boolean ended = process.waitFor(10, TimeUnit.SECONDS);
                    crashes += ended ? 1 : 0;
                    silent += ended ? 0 : 1;
                }
                process.destroyForcibly().waitFor();
            }
            System.out.printf(
                    "Java %s, %s virtual threads, %s: %d crashes in %d dumps%s%n",
                    System.getProperty("java.runtime.version"),
                    arguments[1],
                    held ? "held still by Flight Recorder" : "as they are",
                    crashes,
                    dumps,
                    silent == 0 ? "" : ", and " + silent + " JVMs that did not answer");
        }
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    /** The dumps until a JVM answered no more; the last one counts. */
    private static final class Crash extends Exception {
        private static final long serialVersionUID = 1;
        final int dumps;

        Crash(int dumps, IOException cause) {
            super(cause);
            this.dumps = dumps;
        }
    }

    private static Process start(Path folder, String threads) throws IOException {
        var command = List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + folder.resolve("crash-%p.log"),
                "-cp",
                folder.toString(),
                "Busy",
                threads);
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.inputReader().readLine();
        return process;
    }

    private static int dump(Process process, boolean held, Path file, long end)
            throws InterruptedException, Crash, IOException {
        var attachment = Attachment.to(Target.of(process.pid()));
        if (held) {
            attachment.send(ANSWER, "JFR.start name=risk disk=false " + Recording.SETTINGS);
        }
        int dumps = 0;
        while (System.nanoTime() < end) {
            dumps++;
            try {
                attachment.send(ANSWER, "Thread.dump_to_file -overwrite -format=json " + file);
            } catch (IOException e) {
                throw new Crash(dumps, e);
            }
        }
        return dumps;
    }
}
