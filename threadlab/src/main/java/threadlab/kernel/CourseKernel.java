package threadlab.kernel;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import jdk.jshell.JShell;
import org.dflib.jjava.jupyter.channels.JupyterConnection;
import org.dflib.jjava.jupyter.channels.JupyterSocket;
import org.dflib.jjava.jupyter.channels.ShellChannel;
import org.dflib.jjava.jupyter.channels.ShellHandler;
import org.dflib.jjava.jupyter.channels.ShellReplyEnvironment;
import org.dflib.jjava.jupyter.kernel.HelpLink;
import org.dflib.jjava.jupyter.kernel.JupyterIO;
import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties;
import org.dflib.jjava.jupyter.kernel.LanguageInfo;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.kernel.magic.MagicsRegistry;
import org.dflib.jjava.jupyter.kernel.magic.MagicsResolver;
import org.dflib.jjava.jupyter.kernel.util.PathsHandler;
import org.dflib.jjava.jupyter.kernel.util.StringStyler;
import org.dflib.jjava.jupyter.messages.Header;
import org.dflib.jjava.jupyter.messages.Message;
import org.dflib.jjava.jupyter.messages.MessageContext;
import org.dflib.jjava.jupyter.messages.publish.PublishError;
import org.dflib.jjava.jupyter.messages.publish.PublishExecuteInput;
import org.dflib.jjava.jupyter.messages.publish.PublishExecuteResult;
import org.dflib.jjava.jupyter.messages.publish.PublishStatus;
import org.dflib.jjava.jupyter.messages.publish.PublishStream;
import org.dflib.jjava.jupyter.messages.reply.CompleteReply;
import org.dflib.jjava.jupyter.messages.reply.ErrorReply;
import org.dflib.jjava.jupyter.messages.reply.ExecuteReply;
import org.dflib.jjava.jupyter.messages.reply.HistoryReply;
import org.dflib.jjava.jupyter.messages.reply.InspectReply;
import org.dflib.jjava.jupyter.messages.reply.KernelInfoReply;
import org.dflib.jjava.jupyter.messages.request.CompleteRequest;
import org.dflib.jjava.jupyter.messages.request.ExecuteRequest;
import org.dflib.jjava.jupyter.messages.request.HistoryRequest;
import org.dflib.jjava.jupyter.messages.request.InspectRequest;
import org.dflib.jjava.jupyter.messages.request.KernelInfoRequest;
import org.dflib.jjava.kernel.JavaKernel;
import org.dflib.jjava.kernel.magics.ClasspathMagic;
import org.dflib.jjava.kernel.magics.LoadMagic;
import org.dflib.jjava.kernel.magics.TimeMagic;
import org.dflib.jjava.maven.MavenDependencyResolver;
import org.dflib.jjava.maven.magics.LoadFromPomCellMagic;
import org.dflib.jjava.maven.magics.LoadFromPomLineMagic;
import org.dflib.jjava.maven.magics.MavenMagic;
import org.dflib.jjava.maven.magics.MavenRepoMagic;
import threadlab.cells.CellLog;
import threadlab.cells.JavaText;
import threadlab.kernel.JJavaInternals.Channel;
import threadlab.measure.Memory;
import threadlab.running.LiveRun;
import threadlab.support.CpuShare;
import threadlab.widget.Comms;

/**
 * The kernel of the course: JJava 1.0a8, with what learners type answered so that nothing is lost, silent or hung. What
 * it repairs of JJava, and why, stands in {@code threadlab/kernel.md}.
 */
public final class CourseKernel extends JavaKernel {

    private static final String JJAVA = "1.0a8";

    /** As the notebooks contain it, so that opening one changes nothing: without the version. */
    private static final LanguageInfo JAVA =
            new LanguageInfo("java", null, "text/x-java", ".jshell", "java", "java", "script");

    /** Of the server that has started this kernel. */
    private static final PrintStream TERMINAL = System.err;

    /** Until an answer has reached the page. */
    private static final Duration ANSWERED = Duration.ofMillis(300);

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    private final Evaluator evaluator;
    private final CellOutput output;
    private final Heap heap;
    private final Inspection inspection;
    private final History history = new History();
    private OrderedConnection connection;

    /** Requests that had come when a cell failed; none of them runs a cell. */
    private final Deque<Message<?>> queued = new ArrayDeque<>();

    private final WarmUp warmUp;
    final JShell shell;

    /** Whether JShell lists packages: not before somebody asks for a completion. */
    private boolean indexed;

    private CourseKernel(CellOutput output, Heap heap, Evaluator evaluator, JShell shell) {
        super(
                "JJava",
                JJAVA,
                JAVA,
                List.of(new HelpLink("JJava", "https://github.com/dflib/jjava")),
                null,
                new CellIO(),
                new Comms(),
                new CellRenderer(),
                new MagicsResolver("%", "%%", null) {
                    @Override
                    public String resolve(String source) {
                        return source; // the evaluator knows where a statement begins
                    }
                },
                magics(),
                true,
                new StringStyler.Builder().build(),
                shell,
                evaluator);
        this.output = output;
        this.heap = heap;
        this.evaluator = evaluator;
        evaluator.use(this, shell);
        inspection = new Inspection(shell);
        warmUp = WarmUp.of(this, shell);
        this.shell = shell;
    }

    /** Whether a cell with this text ended without an error when it ran last; empty if it has not run. */
    Optional<Boolean> ended(String cell) {
        return evaluator.ended(cell);
    }

    private static CourseKernel of(CellOutput output) {
        var heap = new Heap();
        var evaluator = new Evaluator(heap);
        // with the names of local variables, for messages of NullPointerException
        var options = "-g " + Objects.requireNonNullElse(System.getenv("JJAVA_COMPILER_OPTS"), "");
        var shell = JShell.builder()
                .executionEngine(evaluator.getExecControlProvider(), Map.of())
                .compilerOptions(options.strip().split(" +"))
                .build();
        return new CourseKernel(output, heap, evaluator, shell);
    }

    /** Those of JJava. */
    private static MagicsRegistry magics() {
        var maven = new MavenDependencyResolver();
        var time = new TimeMagic();
        var magics = new MagicsRegistry();
        magics.registerLineMagic("load", new LoadMagic());
        magics.registerLineMagic("classpath", new ClasspathMagic() {
            @Override
            public Void eval(JavaKernel kernel, List<String> paths) {
                for (var path : paths) {
                    var found = PathsHandler.resolveGlobs(path);
                    if (found.isEmpty() || !found.stream().allMatch(Files::exists)) {
                        throw new IllegalArgumentException("no such file: " + path);
                    }
                }
                return super.eval(kernel, paths);
            }
        });
        magics.registerLineMagic("time", time);
        magics.registerCellMagic("time", time);
        magics.registerLineMagic("maven", new MavenMagic(maven));
        magics.registerLineMagic("mavenRepo", new MavenRepoMagic(maven));
        magics.registerLineMagic("loadFromPOM", new LoadFromPomLineMagic(maven));
        magics.registerCellMagic("loadFromPOM", new LoadFromPomCellMagic(maven));
        return magics;
    }

    /**
     * Runs the kernel until the page shuts it down.
     *
     * @param arguments the file in which Jupyter names its ports
     * @throws Exception if the file cannot be read or the kernel not connected
     */
    public static void main(String[] arguments) throws Exception {
        Thread.currentThread().setUncaughtExceptionHandler(CourseKernel::notConnected);
        var ports = KernelConnectionProperties.parse(Files.readString(Path.of(arguments[0])));
        CellLog.install(); // with the terminal as it is before cells get streams of their own
        var output = new CellOutput(TERMINAL);
        output.use();
        var kernel = CourseKernel.of(output);
        System.setIn(((CellIO) kernel.io).reader());
        endWithJupyter();
        kernel.onStartup();
        kernel.addToClasspath(System.getenv("JJAVA_CLASSPATH"));
        JShellInternals.suspendIndexing(kernel.shell.sourceCodeAnalysis());
        var connection = new OrderedConnection(ports, output);
        kernel.connection = connection;
        kernel.becomeHandlerForConnection(connection);
        connection.connect();
        Runtime.getRuntime().addShutdownHook(new Thread(output::lastWords));
        connection.surviveErrors();
        Thread.setDefaultUncaughtExceptionHandler(kernel.evaluator::uncaught);
        Channels.serve(connection.cells(), kernel.warmUp, () -> {
            kernel.answerQueued();
            Memory.giveBackWhereScarce();
        });
        Channels.serve(connection.control(), WarmUp.none(), () -> {});
        connection.waitUntilClose();
    }

    /**
     * Ends the JVM if the main thread has failed. Another process may have taken a port since Jupyter chose it. The
     * kernel's other threads would keep a JVM alive that never answers; when it has ended, the page says so.
     */
    private static void notConnected(Thread main, Throwable failure) {
        System.err.println("The kernel ends because it could not connect to Jupyter (" + failure
                + "): shut it down on the page and start another, which gets other ports.");
        System.exit(1);
    }

    /** Ends the JVM when the server ends that has started it, which may be killed without a word. */
    private static void endWithJupyter() {
        if (System.getenv("JPY_PARENT_PID") != null) {
            ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().thenRun(() -> {
                // without a free descriptor Java cannot read /proc, and takes every process for ended, this one, too
                while (!ProcessHandle.current().isAlive() || parent.isAlive()) {
                    LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
                }
                System.exit(0);
            }));
        }
    }

    /** Ends the JVM without a word to the page, where there is no memory for one. */
    private void hasLost(Throwable failure) {
        try {
            heap.release();
            TERMINAL.println("The kernel ends because it could not answer: " + failure);
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }

    /** Lets this kernel say to which cell displays and questions belong. */
    private static final class CellIO extends JupyterIO {

        CellIO() {
            super(StandardCharsets.UTF_8);
        }

        private volatile boolean mayAsk;
        private volatile boolean told;

        /** What cells read. Where their reader cannot be asked it ends at once, as a file does, but says why. */
        InputStream reader() {
            return new FilterInputStream(in) {
                @Override
                public int read() throws IOException {
                    return tell() ? in.read() : -1;
                }

                @Override
                public int read(byte[] into, int from, int length) throws IOException {
                    return tell() ? in.read(into, from, length) : -1;
                }
            };
        }

        private boolean tell() {
            if (!mayAsk && !told) {
                told = true;
                System.err.println(
                        "Nobody can be asked here: write what is read into the cell, such as var name = \"Ada\";");
            }
            return mayAsk;
        }

        /** Displays stay with the latest cell; only a cell that runs may ask its reader. */
        void show(ShellReplyEnvironment cell, boolean mayAsk) {
            setEnv(cell);
            setJupyterInEnabled(mayAsk);
            this.mayAsk = mayAsk;
            told = false;
        }

        void askNoMore() {
            mayAsk = false;
            setJupyterInEnabled(false);
        }
    }

    /** Publishes what was printed before anything else, so that a page shows both in their order. */
    private static final class OrderedConnection extends JupyterConnection {

        private final CellOutput output;

        OrderedConnection(KernelConnectionProperties ports, CellOutput output) throws GeneralSecurityException {
            super(ports);
            this.output = output;
            iopub.setHWM(0); // beyond a limit, 1,000 by default, messages would be dropped, even the last
        }

        JupyterSocket channelOfCells() {
            return shell;
        }

        Channel cells() {
            return JJavaInternals.channel(shell);
        }

        /** Reads what waits on the channel of cells. */
        void readInto(Deque<Message<?>> queue) {
            var channel = cells();
            while (channel.poll(0) > 0) {
                queue.add(shell.readMessage());
            }
        }

        /** Answers a request as the channel's thread does; one that would run a cell gets the word that it does not. */
        @SuppressWarnings({"unchecked", "rawtypes"})
        void answerWithoutRunning(Message<?> request) {
            var page = prepareReplyEnv(shell, request);
            try {
                if (request.getContent() instanceof ExecuteRequest) {
                    page.setBusyDeferIdle();
                    page.reply(new Message(request, ExecuteReply.MESSAGE_TYPE, Map.of("status", "aborted")));
                } else {
                    ShellHandler handler = getHandler(request.getHeader().getType());
                    handler.handle(page, request);
                }
            } finally {
                page.resolveDeferrals();
            }
        }

        Channel control() {
            return JJavaInternals.channel(control);
        }

        /** A full heap must not end the threads by which Jupyter hears from this kernel. */
        void surviveErrors() {
            JJavaInternals.loop(heartbeat).onError(_ -> 0);
            JJavaInternals.keepMessagesGoing(heartbeat);
        }

        @Override
        public ShellReplyEnvironment prepareReplyEnv(ShellChannel channel, MessageContext context) {
            return new ShellReplyEnvironment(channel, stdin, iopub, context) {
                @Override
                public void publish(Message<?> message) {
                    output.flush();
                    super.publish(message);
                }
            };
        }
    }

    // --- a cell ---

    /** After a cell that failed: the cells behind it would run on half a state, so they do not run. */
    private void answerQueued() {
        while (!queued.isEmpty()) {
            connection.answerWithoutRunning(queued.remove());
        }
    }

    @Override
    protected synchronized void handleExecuteRequest(ShellReplyEnvironment page, Message<ExecuteRequest> message) {
        warmUp.end();
        heap.begin();
        commManager.setMessageContext(message);
        evaluator.begin(); // before the page hears of it, and may interrupt it
        var request = message.getContent();
        boolean silent = request.isSilent();
        int count = silent ? executionCount.get() : executionCount.getAndIncrement();
        page.setBusyDeferIdle();
        if (!silent) {
            page.publish(new PublishExecuteInput(request.getCode(), count));
            history.add(count, request.getCode());
        }
        ((CellIO) io).show(page, request.isStdinEnabled());
        output.begin((type, text) -> page.getIopub()
                .sendMessage(
                        new Message<>(page.getContext(), PublishStream.MESSAGE_TYPE, new PublishStream(type, text))));
        RunningViews.end(LiveRun.End.CELL);
        try (var _ = CpuShare.here().cell()) {
            var shown = onDeepStack(() -> evaluator.cell(request.getCode(), count, this::rendered));
            output.end();
            if (shown != null && !silent) {
                page.publish(new PublishExecuteResult(count, shown));
            }
            page.reply(new ExecuteReply(count, Map.of()));
        } catch (CellErrors.Failed e) {
            failed(page, message, count, e);
        } catch (OutOfMemoryError e) {
            hasLost(e);
        } catch (RuntimeException | Error e) {
            failed(page, message, count, evaluator.failed(e));
        } finally {
            ((CellIO) io).askNoMore();
        }
    }

    /** The data of a cell's result; null where it was displayed already, since a page replaces only displays. */
    private DisplayData rendered(Object value) {
        var data = value instanceof DisplayData made ? made : renderer.render(value);
        if (!data.hasDisplayId()) {
            return data;
        }
        display(data);
        return null;
    }

    private void failed(
            ShellReplyEnvironment page, Message<ExecuteRequest> message, int count, CellErrors.Failed failure) {
        var shown = failure;
        boolean ends = false;
        if (Heap.isFull(failure.getCause())) {
            ends = heap.staysFull();
            shown = failure.and(("The heap of %,d MB was full. "
                            + (ends
                                    ? "Variables still fill it, so the kernel ends and Jupyter starts it again, without them."
                                    : "What the cell had made is released, and the kernel goes on."))
                    .formatted(Runtime.getRuntime().maxMemory() >> 20));
        }
        output.end();
        page.publish(new PublishError(shown.name(), shown.getMessage(), shown.lines()));
        var reply = new ErrorReply(shown.name(), shown.getMessage(), shown.lines());
        reply.setExecutionCount(count);
        if (message.getContent().shouldStopOnError()) {
            connection.readInto(queued); // before the reply: what comes after it was sent in its knowledge
        }
        page.replyError(ExecuteReply.MESSAGE_TYPE.error(), reply);
        if (ends) { // at once, without what others want to do before, for which there is no memory
            LockSupport.parkNanos(ANSWERED.toNanos());
            Runtime.getRuntime().halt(1);
        }
    }

    /** Runs in a thread whose stack is large enough for the compiler's recursion. */
    private DisplayData onDeepStack(Callable<DisplayData> work) {
        var task = new FutureTask<>(work);
        try {
            new CellOutput.CompilerThread(task).start();
            return task.get();
        } catch (OutOfMemoryError noThread) { // of the system, and not of the heap
            throw evaluator.failed(noThread);
        } catch (ExecutionException e) {
            heap.release();
            throw e.getCause() instanceof CellErrors.Failed known ? known : evaluator.failed(e.getCause());
        } catch (InterruptedException e) {
            throw evaluator.failed(e);
        }
    }

    @Override
    public void interrupt() {
        super.interrupt();
        RunningViews.end(LiveRun.End.INTERRUPT);
    }

    // --- the page's other questions: whatever goes wrong, they get an answer ---

    @Override
    protected void handleCompleteRequest(ShellReplyEnvironment page, Message<CompleteRequest> message) {
        page.setBusyDeferIdle();
        var request = message.getContent();
        var code = request.getCode();
        try {
            // the page counts characters, Java counts halves of some
            int at = code.offsetByCodePoints(0, request.getCursorPos());
            var line = code.substring(code.lastIndexOf('\n', at - 1) + 1, at).stripLeading();
            boolean inMagic = line.startsWith("%");
            if (!inMagic && JavaText.of(code.substring(0, at)).part() != JavaText.Part.CODE) {
                page.reply(new CompleteReply(List.of(), request.getCursorPos(), request.getCursorPos(), Map.of()));
                return; // in a text or a comment JShell would offer all classes
            }
            index(line.startsWith("import"));
            var found = complete(inMagic ? code : Inspection.withoutMagics(code), at);
            int start = code.codePointCount(0, found == null ? at : found.getSourceStart());
            List<String> texts = found == null ? List.of() : found.getReplacements();
            page.reply(new CompleteReply(texts, start, request.getCursorPos(), Map.of()));
        } catch (RuntimeException | Error e) {
            page.replyError(CompleteReply.MESSAGE_TYPE.error(), error(e));
        }
    }

    /** Lists packages, once somebody asks for completions; only an import waits for the list. */
    private void index(boolean waits) {
        var analysis = shell.sourceCodeAnalysis();
        if (!indexed) {
            indexed = true;
            JShellInternals.resumeIndexing(analysis);
        }
        if (waits) {
            JShellInternals.awaitIndex(analysis);
        }
    }

    @Override
    protected void handleInspectRequest(ShellReplyEnvironment page, Message<InspectRequest> message) {
        page.setBusyDeferIdle();
        try {
            page.reply(inspection.reply(message.getContent()));
        } catch (RuntimeException | Error e) {
            page.replyError(InspectReply.MESSAGE_TYPE.error(), error(e));
        }
    }

    /** JJava has no history, and would answer with entries that no page can read. */
    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    protected void handleHistoryRequest(ShellReplyEnvironment page, Message<HistoryRequest> message) {
        page.setBusyDeferIdle();
        var found = Map.of("status", "ok", "history", history.of(message.getContent()));
        page.reply(new Message(message, HistoryReply.MESSAGE_TYPE, found));
    }

    private static ErrorReply error(Throwable thrown) {
        return new ErrorReply(thrown.getClass().getSimpleName(), String.valueOf(thrown.getMessage()), List.of());
    }

    @Override
    public String isComplete(String code) {
        try {
            return super.isComplete(code);
        } catch (RuntimeException | Error e) {
            return IS_COMPLETE_MAYBE;
        }
    }

    /**
     * JJava's own answer changes a notebook that was only opened, because the page writes the version of Java into it. It
     * also leaves the page without the kernel's state until the first cell has run, because a page ignores a state sent in
     * reply to this request.
     */
    @Override
    protected void handleKernelInfoRequest(ShellReplyEnvironment page, Message<KernelInfoRequest> message) {
        page.setBusyDeferIdle();
        page.reply(new KernelInfoReply(Header.PROTOCOL_VERISON, name, version, JAVA, getBanner(), helpLinks));
        if (page.getShell() == connection.channelOfCells()) { // so no cell runs
            // without a session the page would refuse it
            var session = message.getHeader().getSessionId();
            page.publish(new Message<>(new Header<>(session, PublishStatus.MESSAGE_TYPE), PublishStatus.IDLE));
        }
    }
}
