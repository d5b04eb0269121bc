package threadlab.kernel;

import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import jdk.jshell.JShell;
import jdk.jshell.VarSnippet;
import jdk.jshell.execution.DirectExecutionControl;
import org.dflib.jjava.jupyter.telemetry.TelemetryCollector;

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

    private enum Signal {
        ENDED,
        INTERRUPT
    }

    /** By the name of a variable, the class that holds it: JShell makes another when it compiles a declaration again. */
    private final Map<String, Class<?>> homes = new HashMap<>();

    private final Set<String> lost = new HashSet<>();
    private final ClassLoader loader;
    private JShell shell;
    private Object value;
    private Throwable thrown;
    private Throwable notLoaded;

    private CellThread thread;
    private volatile BlockingQueue<Signal> waiting;
    private volatile boolean interrupted;
    private volatile TelemetryCollector<?> telemetry = TelemetryCollector.DO_NOTHING;

    CellControl() {
        loader = Thread.currentThread().getContextClassLoader(); // set by the constructor above this one
    }

    void use(JShell shell) {
        this.shell = shell;
    }

    ClassLoader loader() {
        return loader;
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

    @Override
    public void load(ClassBytecodes[] classes)
            throws ClassInstallException, NotImplementedException, EngineTerminationException {
        try {
            super.load(classes);
            for (var each : classes) {
                carryOver(findClass(each.name()));
            }
        } catch (ClassInstallException | ReflectiveOperationException | LinkageError e) {
            notLoaded = e; // JShell would go on without a word
            throw e instanceof ClassInstallException known
                    ? known
                    : new ClassInstallException(e.toString(), new boolean[classes.length]);
        }
    }

    /** Copies the value of a variable into the class that replaces its own, unless the variable is declared anew. */
    private void carryOver(Class<?> type) throws ReflectiveOperationException {
        var moved = shell.variables()
                .filter(variable -> JShellInternals.className(variable).equals(type.getName()))
                .findFirst();
        if (moved.isPresent() && homes.containsKey(moved.get().name())) {
            copy(moved.get().name(), type);
        }
    }

    private void copy(String variable, Class<?> type) throws ReflectiveOperationException {
        var old = field(homes.put(variable, type), variable);
        var now = field(type, variable);
        if (now.getType() == old.getType()) {
            now.set(null, old.get(null));
        } else if (old.get(null) != null) {
            lost.add(variable);
        }
    }

    private static Field field(Class<?> type, String variable) throws ReflectiveOperationException {
        var field = type.getDeclaredField(variable);
        field.setAccessible(true);
        return field;
    }

    /** A variable was declared. */
    void declared(VarSnippet variable) {
        try {
            homes.put(variable.name(), findClass(JShellInternals.className(variable)));
        } catch (ClassNotFoundException e) {
            homes.remove(variable.name());
        }
    }

    /** The variables that have been declared. */
    Set<String> variables() {
        return homes.keySet();
    }

    /** Declares a variable by its type alone, because JShell has dropped it; it keeps its value if it can. */
    boolean declareAgain(VarSnippet dropped) {
        var name = dropped.name();
        var before = homes.get(name);
        var value = valueOf(name); // the declaration may use the same class again, and set the variable to 0
        var events = shell.eval(dropped.typeName() + " " + name + ";");
        var fresh = events.getFirst();
        if (!fresh.status().isDefined() || !(fresh.snippet() instanceof VarSnippet variable)) {
            homes.remove(name);
            return false;
        }
        try {
            declared(variable);
            if (field(homes.get(name), name).getType() == field(before, name).getType()) {
                field(homes.get(name), name).set(null, value);
            } else if (value != null) {
                lost.add(name);
            }
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /** Whether a variable has lost its value since this was last asked. */
    boolean hasLost(String variable) {
        return lost.remove(variable);
    }

    /** The value of a variable. */
    Object valueOf(String variable) {
        try {
            return field(homes.get(variable), variable).get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sets a variable that holds an object to null. */
    void clear(String variable) {
        try {
            field(homes.get(variable), variable).set(null, null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Forgets the value of an expression. */
    void drop(VarSnippet temporary) {
        declared(temporary);
        var home = homes.remove(temporary.name());
        shell.drop(temporary);
        try {
            if (home != null && !field(home, temporary.name()).getType().isPrimitive()) {
                field(home, temporary.name()).set(null, null);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
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
        if (cause instanceof jdk.jshell.spi.SPIResolutionException) {
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
        if (interrupted) {
            throw new Interrupted(null);
        }
        var signals = new LinkedBlockingQueue<Signal>();
        var task = new FutureTask<>(work);
        if (thread == null) {
            thread = new CellThread(loader);
            thread.start();
        }
        waiting = signals;
        thread.give(() -> {
            task.run();
            Thread.interrupted(); // the next cell is another's
            signals.add(Signal.ENDED);
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
        } catch (java.util.concurrent.ExecutionException e) {
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
    }

    void interrupt() {
        interrupted = true;
        var signals = waiting;
        if (signals != null) {
            signals.add(Signal.INTERRUPT);
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
