package whatwaits.command;

import java.io.Console;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import whatwaits.look.BoundedLoad;
import whatwaits.look.Counter;
import whatwaits.look.Evidence;
import whatwaits.look.LocalJvm;
import whatwaits.look.Look;
import whatwaits.look.Report;
import whatwaits.look.Whole;
import whatwaits.rules.Finding;
import whatwaits.rules.Requests;

/** The command: names the limit that a running Java service meets. */
@Command(
        name = "whatwaits",
        version = "whatwaits 1.0",
        mixinStandardHelpOptions = true,
        description = "Names the limit that a running Java service meets, from outside.",
        footer = {
            "",
            "Exit codes: 0 nothing is named, 1 something is (--fail-on chooses what), 2 it could not look, 3 undecided:"
                    + " it says what would decide.",
            "The course Virtual Threads by Experiment shows each limit: threads in lesson 01, connections in 05, permits in"
                    + " 06, carriers and circles in 07, clients and CPUs in 08, the heap and the machine in 14."
        },
        subcommands = {
            Whatwaits.LookAt.class,
            Whatwaits.Read.class,
            Whatwaits.ListAll.class,
            Whatwaits.Watch.class,
            Whatwaits.Check.class
        })
public final class Whatwaits {

    private static final int NOTHING = 0;
    private static final int NAMED = 1;
    private static final int FAILED = 2;
    private static final int UNDECIDED = 3;

    private Whatwaits() {}

    /**
     * Runs the command.
     *
     * @param arguments as {@code whatwaits --help} explains them
     */
    public static void main(String[] arguments) {
        System.exit(run(new PrintWriter(System.out, true), new PrintWriter(System.err, true), arguments));
    }

    /** Runs it, and returns its exit code. */
    static int run(PrintWriter screen, PrintWriter problems, String... arguments) {
        Locale.setDefault(Locale.ROOT);
        var out = Printable.of(screen);
        var errors = Printable.of(problems);
        var line = new CommandLine(new Whatwaits())
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .setOut(out)
                .setErr(errors)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    if (failure instanceof IllegalArgumentException || failure instanceof IllegalStateException) {
                        errors.println(failure.getMessage());
                        return FAILED;
                    }
                    return failed(failure, errors);
                });
        if (arguments.length == 0) {
            line.usage(out);
            return FAILED;
        }
        try {
            return line.execute(arguments);
        } catch (Throwable e) {
            // the JVM's own exit code would be that of something named
            return failed(e, errors);
        }
    }

    private static int failed(Throwable failure, PrintWriter errors) {
        switch (failure) {
            case InterruptedException e -> errors.println("interrupted");
            case OutOfMemoryError e ->
                errors.println(tooSmall(Runtime.getRuntime().maxMemory()));
            default -> {
                errors.println("unexpected: " + failure + "; please report it with this stack:");
                failure.printStackTrace(errors);
            }
        }
        return FAILED;
    }

    /** Names a heap that is larger than this one. */
    static String tooSmall(long heap) {
        return "the heap of %d MB is too small for this: start it with java -Xmx%dg -jar whatwaits.jar"
                .formatted(heap >> 20, Math.max(4, 1 + (heap >> 29)));
    }

    /** How a report is shown, and what makes it fail. */
    static final class Shown {
        @Option(names = "--json", description = "Print the report as JSON.")
        private boolean json;

        @Option(names = "--html", paramLabel = "FILE", description = "Write the report, with charts, to one page.")
        private Path html;

        @Option(
                names = "--fail-on",
                split = ",",
                paramLabel = "WHAT",
                defaultValue = "limit,circle,pinned",
                description = "What gives exit code 1: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
        private Set<Finding.What> failOn;

        /** Shows reports on one JVM or on several, the worst first. */
        int show(List<Report> reports, CommandSpec command) {
            var out = command.commandLine().getOut();
            if (html != null) {
                Whole.write(html, Page.of(reports).getBytes(StandardCharsets.UTF_8));
            }
            var text = json
                    ? Json.of(reports) + "\n"
                    : reports.stream().map(Screen::text).collect(Collectors.joining("\n"));
            out.print(
                    json || !isAtTerminal()
                            ? text
                            : Screen.wrapped(
                                    text, command.usageMessage().autoWidth(true).width()));
            out.flush();
            if (reports.stream().anyMatch(one -> one.named().stream().anyMatch(failOn::contains))) {
                return NAMED;
            }
            return reports.stream()
                            .anyMatch(one -> one.verdict() == null
                                    || one.verdict().undecided().isPresent())
                    ? UNDECIDED
                    : NOTHING;
        }
    }

    /** Which JVM. */
    static final class Which {
        @Parameters(
                paramLabel = "PID|NAME",
                arity = "0..1",
                description =
                        "A process ID, or part of the name of a main class or jar. With --via it may be left out if there"
                                + " is only one.")
        private String which;

        @Option(
                names = "--via",
                paramLabel = "PREFIX",
                description = "Look at a JVM elsewhere: what runs a command there, such as \"kubectl exec POD --\","
                        + " \"docker exec CONTAINER\" or \"ssh HOST\". It needs jcmd there, as that JVM's user.")
        private String via;

        Look look() throws InterruptedException {
            if (which != null && which.startsWith("-")) {
                throw new IllegalArgumentException(
                        "%s is neither a process ID nor a name: whatwaits list shows both".formatted(which));
            }
            if (via != null) {
                return Look.by(via, which);
            }
            if (which == null) {
                throw new IllegalArgumentException("give a process ID or a name: whatwaits list shows both");
            }
            if (isNumber()) {
                return Look.at(Long.parseLong(which));
            }
            var found = Look.list().stream()
                    .filter(jvm -> jvm.main().contains(which))
                    .toList();
            return Look.at(one(which, found).pid());
        }

        private boolean isNumber() {
            return which.matches("\\d{1,18}");
        }

        /** Whether one of which nothing is heard may answer later, or another one have its name. */
        boolean mayReturn(Look look) {
            return via == null && !(isNumber() && look.hasEnded());
        }

        static LocalJvm one(String which, List<LocalJvm> found) {
            if (found.isEmpty()) {
                throw new IllegalArgumentException(
                        "no running JVM has %s in the name of its main class or jar: whatwaits list shows them"
                                .formatted(which));
            }
            if (found.size() > 1) {
                var them = found.stream()
                        .map(jvm -> "%d (%s, up %.0f s)".formatted(jvm.pid(), jvm.main(), jvm.upSeconds()));
                throw new IllegalArgumentException("%d running JVMs have %s in their name, so give a process ID: %s"
                        .formatted(found.size(), which, them.collect(Collectors.joining(", "))));
            }
            return found.getFirst();
        }
    }

    @Command(
            name = "look",
            mixinStandardHelpOptions = true,
            description = "Looks at a running JVM for a few seconds, and says which limit it meets.")
    static final class LookAt implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @CommandLine.Mixin
        private Which which;

        @CommandLine.Mixin
        private Shown shown;

        @Option(names = "--seconds", defaultValue = "5", description = "How long to look. Default: ${DEFAULT-VALUE}.")
        private double seconds;

        @Option(names = "--save", paramLabel = "FILE.zip", description = "Save everything that was seen.")
        private Path save;

        @Option(names = "--url", description = "Send requests to this address meanwhile; loopback only.")
        private String url;

        @Option(
                names = "--rate",
                defaultValue = "10",
                description = "Requests a second, with --url. Default: ${DEFAULT-VALUE}.")
        private int rate;

        @Option(
                names = "--requests",
                paramLabel = "LOG|URL",
                description =
                        "Count the requests by this access log of Tomcat, or by metrics of Prometheus or Spring Boot's"
                                + " Actuator on this machine.")
        private String requests;

        @Option(
                names = "--dumps",
                negatable = true,
                description = "Take a dump where it may end the watched JVM, too (Java 25, JDK-8364343), or nowhere.")
        private Boolean dumps;

        @Option(names = "--many-threads", description = "Dump more than 20,000 threads, too.")
        private boolean many;

        @Option(names = "--with-values", description = "Keep the values of properties, too: they may be secrets.")
        private boolean values;

        @Override
        public Integer call() throws InterruptedException {
            if (!(seconds >= 1 && seconds <= 600)) {
                throw new IllegalArgumentException("--seconds=%s is not from 1 to 600".formatted(seconds));
            }
            var time = Duration.ofMillis(Math.round(seconds * 1e3));
            if (url != null && requests != null) {
                throw new IllegalArgumentException("--url and --requests both count requests: give one of them");
            }
            Callable<Requests> load = url != null
                    ? new BoundedLoad(url, rate, time)
                    : requests != null ? new Counter(requests, time) : null;
            var dump = dumps == null ? Look.Dump.SAFE : dumps ? Look.Dump.YES : Look.Dump.NO;
            var done = new CountDownLatch(1);
            var main = Thread.currentThread();
            // an interrupted command leaves nothing behind either: it closes what it has opened, and is waited for
            var ends = new Thread(() -> {
                main.interrupt();
                awaited(done);
            });
            Runtime.getRuntime().addShutdownHook(ends);
            try {
                var evidence = which.look().look(new Look.Wish(time, dump, LookAt::agrees, many, values, load));
                if (save != null) {
                    evidence.save(save);
                }
                return shown.show(List.of(Report.of(evidence)), spec);
            } finally {
                done.countDown();
                remove(ends);
            }
        }

        private static void awaited(CountDownLatch done) {
            try {
                done.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                // this JVM ends
            }
        }

        private static void remove(Thread hook) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // it runs
            }
        }

        /** Asks whoever sits at a terminal. */
        private static boolean agrees(boolean recorder) {
            if (!isAtTerminal()) {
                return false;
            }
            var said = System.console().readLine("%s [y/N] ", RISK.formatted(recorder ? WITH : WITHOUT));
            return said != null && said.strip().equalsIgnoreCase("y");
        }
    }

    /** Whether somebody sits at a terminal. */
    private static boolean isAtTerminal() {
        var console = System.console();
        try {
            // from Java 22 to 24 there is a console where nobody sits, too; 21 does not have the method that tells
            return console != null
                    && (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    private static final String RISK =
            "A dump says what virtual threads wait for. On Java 25 it may end the watched JVM (JDK-8364343): under full"
                    + " load %s. Take one?";
    private static final String WITH =
            "with Flight Recorder running, as here, none of 466 did, without it 115 of 1,026";
    private static final String WITHOUT =
            "without Flight Recorder, which this runtime does not have, 115 of 1,026 did, with it none of 466";

    @Command(
            name = "read",
            mixinStandardHelpOptions = true,
            description =
                    "Says the same of files: zips of look --save, recordings, dumps of any form, also in a log, a zip or"
                            + " gzip. Several dumps of one JVM are compared.")
    static final class Read implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @Parameters(paramLabel = "FILE", arity = "1..*", description = "The files.")
        private List<Path> files;

        @CommandLine.Mixin
        private Shown shown;

        @Override
        public Integer call() {
            var errors = spec.commandLine().getErr();
            var refused = new AtomicBoolean();
            Consumer<String> refuse = sentence -> {
                // the others are read all the same
                errors.println(sentence);
                refused.set(true);
            };
            var read = new ArrayList<Evidence>();
            for (Path file : files) {
                try {
                    read.add(Evidence.read(file));
                } catch (IllegalArgumentException | IllegalStateException e) {
                    refuse.accept(e.getMessage());
                }
            }
            var reports = Report.of(read, refuse);
            int code = reports.isEmpty() ? FAILED : shown.show(reports, spec);
            return refused.get() ? FAILED : code;
        }
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Lists the running JVMs, the youngest first.")
    static final class ListAll implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            lines(Look.list(), LocalJvm::folder).forEach(spec.commandLine().getOut()::println);
            return NOTHING;
        }

        /** One for each; where two have the same name, with the folders in which they run. */
        static List<String> lines(List<LocalJvm> jvms, Function<LocalJvm, String> folder) {
            if (jvms.isEmpty()) {
                return List.of("no other JVM runs here, or none that this user may see");
            }
            var mains = jvms.stream().collect(Collectors.groupingBy(LocalJvm::main, Collectors.counting()));
            return jvms.stream()
                    .map(jvm -> "%7d  %-10s %9.0f s  %s%s"
                            .formatted(
                                    jvm.pid(),
                                    jvm.java() == null ? "Java ?" : jvm.java(),
                                    jvm.upSeconds(),
                                    jvm.main(),
                                    mains.get(jvm.main()) == 1 ? "" : ", in " + folder.apply(jvm)))
                    .toList();
        }
    }

    @Command(
            name = "watch",
            mixinStandardHelpOptions = true,
            description =
                    "Prints a line a second, from counters alone: no dump, no recording. By its name a JVM is found"
                            + " again after a restart.")
    static final class Watch implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @CommandLine.Mixin
        private Which which;

        @Option(
                names = "--seconds",
                defaultValue = "0",
                description = "How long; 0 until it is interrupted. Default: 0.")
        private int seconds;

        @Override
        public Integer call() throws InterruptedException {
            if (seconds < 0) {
                throw new IllegalArgumentException(
                        "--seconds=%d is below 0: 0 watches until it is interrupted".formatted(seconds));
            }
            var out = spec.commandLine().getOut();
            var look = which.look();
            boolean heard = true;
            var told = look.tick();
            for (int i = 0; seconds == 0 || i < seconds; i++) {
                Thread.sleep(1_000);
                String line;
                try {
                    look = heard ? look : which.look();
                    heard = true;
                    line = look.tick();
                } catch (IllegalArgumentException | IllegalStateException e) {
                    if (!which.mayReturn(look)) {
                        throw e;
                    }
                    heard = false;
                    line = e.getMessage();
                }
                if (line != null && (heard || !line.equals(told))) {
                    out.println(LocalTime.now().truncatedTo(ChronoUnit.SECONDS) + "  " + line);
                    out.flush();
                }
                told = line;
            }
            return NOTHING;
        }
    }

    @Command(
            name = "check",
            mixinStandardHelpOptions = true,
            description =
                    "Says what changed between two zips of look --save, such as before and after a switch; exit code 1"
                            + " if the second names something that the first does not.")
    static final class Check implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @Parameters(index = "0", paramLabel = "A.zip")
        private Path before;

        @Parameters(index = "1", paramLabel = "B.zip")
        private Path after;

        @Override
        public Integer call() {
            var one = Report.of(Evidence.read(before));
            var other = Report.of(Evidence.read(after));
            Screen.changes(one, other).forEach(spec.commandLine().getOut()::println);
            var now = other.named();
            now.removeAll(one.named());
            return now.isEmpty() ? NOTHING : NAMED;
        }
    }
}
