package threadlab.kernel;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jdk.jshell.Snippet;
import jdk.jshell.execution.DirectExecutionControl;
import jdk.jshell.spi.SPIResolutionException;
import org.dflib.jjava.jupyter.telemetry.TelemetryCollector;
import threadlab.cells.CellFiles;

/**
 * Runs what JShell has compiled, in one thread of this JVM, and keeps what JShell would turn into text or drop: values,
 * exceptions and, where JShell replaces the class that holds a variable, the variable's value.
 */
final class CellControl extends DirectExecutionControl {

    /** What an interrupt has cut short. */
    static final class Interrupted extends RuntimeException {

        private static final long serialVersionUID = 1;

        /** The thread of the cell, if it goes on; otherwise null. */
        final transient Thread left;

        private Interrupted(Thread left) {
            super("The cell was interrupted.");
            this.left = left;
        }
    }

    /** After this time in ms the page gets its answer, even if the thread does not end. */
    private static final long PATIENCE = 150;

    private static final int SIGNALS = 8;

    private enum Signal {
        ENDED,
        INTERRUPT
    }

    private final CellFiles files = new CellFiles();

    private final ClassLoader loader;
    private final Heap heap;
    private final Variables variables = new Variables(this::findClass);
    private Object value;
    private Throwable thrown;
    private Throwable notLoaded;

    private CellThread thread;
    private volatile BlockingQueue<Signal> waiting;
    private volatile boolean interrupted;
    private boolean fresh;
    private volatile TelemetryCollector<?> telemetry = TelemetryCollector.DO_NOTHING;

    CellControl(Heap heap) {
        this.heap = heap;
        loader = Thread.currentThread().getContextClassLoader(); // set by the constructor above this one
    }

    Variables variables() {
        return variables;
    }

    CellFiles files() {
        return files;
    }

    ClassLoader loader() {
        return loader;
    }

    /**
     * Accepts a class that means the same as the loaded one. An import, or a method that is too large, may change the
     * lines or the constants' order in classes that it does not concern; JShell would replace them and what they hold.
     */
    @Override
    public void redefine(ClassBytecodes[] classes)
            throws ClassInstallException, NotImplementedException, EngineTerminationException {
        for (var each : classes) {
            if (!files.isSame(each.name(), each.bytecodes())) {
                super.redefine(classes);
            }
        }
    }

    // --- values ---

    /** The value of the snippet that ran last; forgets it. */
    Object takeValue() {
        var taken = value;
        value = null;
        return taken;
    }

    /** What the snippet that ran last has thrown, or why its classes could not be loaded; forgets it. */
    Throwable takeThrown() {
        var taken = thrown == null ? notLoaded : thrown;
        thrown = null;
        notLoaded = null;
        return taken;
    }

    /** Whether the class of a snippet is there; JShell itself mends most of what cannot be loaded at first. */
    boolean hasLoaded(Snippet snippet) {
        try {
            findClass(JShellInternals.className(snippet));
            return true;
        } catch (ClassNotFoundException e) {
            return snippet.kind() == Snippet.Kind.IMPORT;
        }
    }

    @Override
    public void load(ClassBytecodes[] classes)
            throws ClassInstallException, NotImplementedException, EngineTerminationException {
        try {
            for (var each : classes) {
                files.loaded(each.name(), each.bytecodes());
            }
            super.load(Stream.of(classes)
                    .map(each -> new ClassBytecodes(each.name(), files.rewritten(each.bytecodes())))
                    .toArray(ClassBytecodes[]::new));
            for (var each : classes) {
                variables.carryOver(findClass(each.name()));
            }
        } catch (ClassInstallException | ReflectiveOperationException | LinkageError e) {
            notLoaded = e; // JShell would go on without a word
            throw e instanceof ClassInstallException known
                    ? known
                    : new ClassInstallException(e.toString(), new boolean[classes.length]);
        }
    }

    // --- running ---

    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    protected String invoke(Method code) throws Exception {
        TelemetryCollector collector = telemetry;
        var begun = collector.measurementStart();
        try {
            value = call(() -> code.invoke(null));
        } finally {
            collector.measurementEnd(begun);
        }
        return ""; // not the value's text, which nobody reads and which may be long or throw
    }

    @Override
    protected String throwConvertedInvocationException(Throwable cause) throws RunException, InternalException {
        if (cause instanceof SPIResolutionException) {
            return super.throwConvertedInvocationException(cause);
        }
        thrown = cause;
        throw new UserException("", cause.getClass().getName(), new StackTraceElement[0]);
    }

    @Override
    protected String throwConvertedOtherException(Throwable cause) throws RunException, InternalException {
        return throwConvertedInvocationException(cause);
    }

    /**
     * Runs something in the thread of the cells, where the page can interrupt it.
     *
     * @throws Interrupted if the page did
     */
    <T> T call(Callable<T> work) throws Exception {
        if (Thread.currentThread() == thread) {
            return work.call(); // a cell that runs another
        }
        var signals = new ArrayBlockingQueue<Signal>(SIGNALS); // which needs no memory to signal that there is none
        var task = new FutureTask<>(() -> {
            try {
                return work.call();
            } catch (OutOfMemoryError e) {
                heap.release();
                throw e;
            }
        });
        if (thread == null) {
            thread = new CellThread(loader);
            thread.start();
        }
        waiting = signals;
        if (interrupted) { // not earlier: an interrupt between this question and the line above would be lost
            waiting = null;
            throw new Interrupted(null);
        }
        boolean first = fresh;
        fresh = false;
        thread.give(() -> {
            if (first) {
                Thread.interrupted(); // it was for the cell before
            }
            task.run();
            signals.offer(Signal.ENDED);
        });
        try {
            if (signals.take() == Signal.INTERRUPT) {
                thread.interrupt();
                boolean ended = signals.poll(PATIENCE, TimeUnit.MILLISECONDS) == Signal.ENDED;
                var left = ended ? null : thread;
                if (!ended) {
                    thread.leave();
                    thread = null;
                }
                throw new Interrupted(left);
            }
            return task.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case Exception known -> throw known;
                case Error known -> throw known;
                default -> throw new InvocationTargetException(e.getCause());
            }
        } finally {
            waiting = null;
        }
    }

    /** Called when a cell begins. */
    void begin() {
        interrupted = false;
        fresh = true;
    }

    void interrupt() {
        interrupted = true;
        var signals = waiting;
        if (signals != null) {
            signals.offer(Signal.INTERRUPT);
        }
    }

    void measure(TelemetryCollector<?> collector) {
        if (telemetry != TelemetryCollector.DO_NOTHING) {
            telemetry.stop();
        }
        telemetry = collector;
    }

    @Override
    public void addToClasspath(String path) throws EngineTerminationException, InternalException {
        super.addToClasspath(path);
        System.setProperty("java.class.path", System.getProperty("java.class.path") + File.pathSeparator + path);
    }
}
