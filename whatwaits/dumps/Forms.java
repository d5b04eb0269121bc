import java.io.File;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.management.ObjectName;

/**
 * Writes the dump of a program in every form in which people have it, as SCENE-FORM.txt and the like: java Forms.java
 * FOLDER. Runs on Java 17 and newer; of 21 and newer there are the files of all threads, too.
 */
public class Forms {
    static final List<String> SCENES = List.of("lock", "circle", "locks", "healthy", "permits");

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        if (arguments.length == 2) {
            run(arguments[1], folder);
            return;
        }
        Path classes = Files.createTempDirectory("forms-");
        told("javac", "-d", classes.toString(), System.getProperty("forms.source", "whatwaits/dumps/Forms.java"));
        List<Process> programs = new ArrayList<>();
        try {
            for (String scene : SCENES) {
                programs.add(new ProcessBuilder(tool("java"), "-cp", classes.toString(), "Forms", folder.toString(), scene)
                        .redirectError(ProcessBuilder.Redirect.INHERIT).start());
            }
            for (int i = 0; i < SCENES.size(); i++) {
                String pid = programs.get(i).inputReader().readLine();
                if (i < 3) {
                    // it takes seconds: where nobody holds anything, there is little to read
                    text(folder, SCENES.get(i) + "-agent.txt", told("jhsdb", "jstack", "--locks", "--pid", pid));
                }
            }
        } finally {
            for (Process program : programs) {
                program.destroy();
                program.waitFor();
            }
            for (File file : classes.toFile().listFiles()) {
                file.delete();
            }
            Files.delete(classes);
        }
    }

    static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /** What the JDK writes of this program, and what a log makes of it. */
    static void write(Path folder, String scene) throws Exception {
        String print = print();
        text(folder, scene + "-print.txt", print);
        text(folder, scene + "-print-l.txt", print("-l"));
        if (Runtime.version().feature() >= 21) {
            Object bean = ManagementFactory.getPlatformMXBean(com.sun.management.HotSpotDiagnosticMXBean.class);
            // 17 has neither the method nor its formats
            for (java.lang.reflect.Method method : com.sun.management.HotSpotDiagnosticMXBean.class.getMethods()) {
                if (method.getName().equals("dumpThreads")) {
                    Object[] formats = method.getParameterTypes()[1].getEnumConstants();
                    for (Object format : formats) {
                        String name = scene + (format.toString().equals("JSON") ? "-all.json" : "-filed.txt");
                        method.invoke(bean, folder.resolve(name).toAbsolutePath().toString(), format);
                    }
                }
            }
        }
        text(folder, scene + "-compose.log", logged(print, line -> "shop-1  | " + line));
        text(folder, scene + "-pod.log", logged(print, line -> "2026-11-20T09:14:03.5120" + (10_000 + line.length()) + "Z " + line));
        text(folder, scene + "-driver.log", logged(print, line -> "{\"log\":" + quoted(line + "\n") + ",\"stream\":\"stdout\",\"time\":\"2026-11-20T09:14:03.512Z\"}"));
        Files.write(folder.resolve(scene + "-utf16.txt"), ("\uFEFF" + print.replace("\n", "\r\n")).getBytes(StandardCharsets.UTF_16LE));
    }

    /** What jstack and jcmd PID Thread.print show. */
    static String print(String... how) throws Exception {
        ObjectName name = new ObjectName("com.sun.management:type=DiagnosticCommand");
        Object[] arguments = {how};
        String[] types = {String[].class.getName()};
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(name, "threadPrint", arguments, types);
    }

    static String told(String name, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(tool(name)));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(command + " has failed: " + said);
        }
        return said;
    }

    static void text(Path folder, String name, String text) throws Exception {
        Files.writeString(folder.resolve(name), text);
    }

    /** A dump in a log, between whose lines the program goes on writing. */
    static String logged(String print, Function<String, String> before) {
        StringBuilder log = new StringBuilder();
        int number = 0;
        for (String line : print.split("\n", -1)) {
            if (number++ % 7 == 5 && !line.isEmpty()) {
                log.append(before.apply("2026-11-20T09:14:03.514Z  INFO 1 --- [  desk-10] shop.Desk : order 8841 accepted")).append("\n");
            }
            log.append(before.apply(line)).append("\n");
        }
        return log.toString();
    }

    // --- the program ---

    static void run(String scene, Path folder) throws Exception {
        List<Thread> threads = switch (scene) {
            case "lock" -> lock();
            case "circle" -> circle();
            case "locks" -> locks();
            case "healthy" -> healthy();
            default -> permits();
        };
        for (int quiet = 0; quiet < 20; quiet++) {
            quiet = threads.stream().anyMatch(one -> one.getState() == Thread.State.RUNNABLE || one.getState() == Thread.State.NEW) ? 0 : quiet;
            Thread.sleep(10);
        }
        ThreadInfo[] infos = ManagementFactory.getThreadMXBean().dumpAllThreads(true, true);
        StringBuilder printed = new StringBuilder();
        for (ThreadInfo info : infos) {
            printed.append(info);
        }
        text(folder, scene + "-info.txt", printed.toString());
        text(folder, scene + "-beans.txt", beans(infos));
        text(folder, scene + "-debugger.txt", debugger(infos));
        text(folder, scene + "-javacore.txt", javacore(infos));
        text(folder, scene + "-actuator.json", actuator(infos, name -> name));
        text(folder, scene + "-admin.json", actuator(infos, name -> name.replaceAll("([A-Z])", "_$1").toLowerCase()));
        write(folder, scene);
        System.out.println(ProcessHandle.current().pid());
        System.in.read();
    }

    static Thread started(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void until(List<Thread> threads, Thread.State state) {
        while (threads.stream().anyMatch(one -> one.getState() != state)) {
            sleep(1);
        }
    }

    /** A monitor whose holder sleeps. */
    static class Ledger {
        void book(long millis) {
            synchronized (this) {
                sleep(millis);
            }
        }
    }

    static List<Thread> lock() {
        Ledger ledger = new Ledger();
        List<Thread> threads = new ArrayList<>(List.of(started("desk-1", () -> ledger.book(600_000))));
        until(threads, Thread.State.TIMED_WAITING);
        for (int i = 2; i <= 8; i++) {
            threads.add(started("desk-" + i, () -> ledger.book(0)));
        }
        return threads;
    }

    static class Till {
        final Object cash = new Object();
        final Object book = new Object();

        void charge(long millis) {
            synchronized (cash) {
                sleep(millis);
                synchronized (book) {
                    sleep(0);
                }
            }
        }

        void close(long millis) {
            synchronized (book) {
                sleep(millis);
                synchronized (cash) {
                    sleep(0);
                }
            }
        }
    }

    static List<Thread> circle() {
        Till till = new Till();
        List<Thread> threads = new ArrayList<>(List.of(started("mail-1", () -> till.charge(500)), started("mail-2", () -> till.close(500))));
        until(threads, Thread.State.BLOCKED);
        for (int i = 3; i <= 6; i++) {
            threads.add(started("mail-" + i, () -> till.charge(0)));
        }
        return threads;
    }

    static void both(ReentrantLock one, ReentrantLock other) {
        one.lock();
        sleep(500);
        other.lock();
    }

    static List<Thread> locks() {
        ReentrantLock one = new ReentrantLock();
        ReentrantLock other = new ReentrantLock();
        List<Thread> threads = List.of(started("mail-1", () -> both(one, other)), started("mail-2", () -> both(other, one)));
        until(threads, Thread.State.WAITING);
        return threads;
    }

    /** A pool that has nothing to do, and a thread that waits for a time. */
    static List<Thread> healthy() {
        var pool = java.util.concurrent.Executors.newFixedThreadPool(4, task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < 4; i++) {
            pool.submit(() -> sleep(1));
        }
        return List.of(started("clock", () -> sleep(600_000)));
    }

    /** Permits that somebody gives back who is no thread of this program. */
    static List<Thread> permits() {
        Semaphore doors = new Semaphore(2);
        doors.acquireUninterruptibly(2);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            threads.add(started("caller-" + i, () -> call(doors)));
        }
        return threads;
    }

    static void call(Semaphore doors) {
        doors.acquireUninterruptibly();
    }

    // --- forms that other programs write, by what the management beans say ---

    /** As VisualVM and Spring Boot's Actuator write text. */
    static String beans(ThreadInfo[] infos) {
        StringBuilder text = new StringBuilder("2026-11-20 09:14:03\nFull thread dump OpenJDK 64-Bit Server VM (" + System.getProperty("java.runtime.version") + " mixed mode, sharing):\n\n");
        for (ThreadInfo info : infos) {
            text.append("\"" + info.getThreadName() + "\" - Thread t@" + info.getThreadId() + "\n   java.lang.Thread.State: " + info.getThreadState() + "\n");
            StackTraceElement[] frames = info.getStackTrace();
            for (int i = 0; i < frames.length; i++) {
                text.append("\tat " + frames[i] + "\n");
                LockInfo wanted = info.getLockInfo();
                if (i == 0 && wanted != null) {
                    boolean blocked = info.getThreadState() == Thread.State.BLOCKED;
                    boolean waits = frames[0].getClassName().equals("java.lang.Object");
                    text.append("\t- " + (blocked ? "waiting to lock" : waits ? "waiting on" : "parking to wait for") + " <" + Integer.toHexString(wanted.getIdentityHashCode()) + "> (a " + wanted.getClassName() + ")"
                            + (info.getLockOwnerName() == null ? "" : " owned by \"" + info.getLockOwnerName() + "\" t@" + info.getLockOwnerId()) + "\n");
                }
                for (MonitorInfo held : info.getLockedMonitors()) {
                    if (held.getLockedStackDepth() == i) {
                        text.append("\t- locked <" + Integer.toHexString(held.getIdentityHashCode()) + "> (a " + held.getClassName() + ")\n");
                    }
                }
            }
            text.append("\n   Locked ownable synchronizers:\n");
            for (LockInfo held : info.getLockedSynchronizers()) {
                text.append("\t- locked <" + Integer.toHexString(held.getIdentityHashCode()) + "> (a " + held.getClassName() + ")\n");
            }
            text.append(info.getLockedSynchronizers().length == 0 ? "\t- None\n\n" : "\n");
        }
        return text.toString();
    }

    /** As IntelliJ's debugger writes it: objects have numbers, threads are objects, and who blocks whom is said. */
    static String debugger(ThreadInfo[] infos) {
        StringBuilder text = new StringBuilder("Full thread dump\n\n");
        for (ThreadInfo info : infos) {
            boolean blocked = info.getThreadState() == Thread.State.BLOCKED;
            text.append("\"" + info.getThreadName() + "@" + (4_000 + info.getThreadId()) + "\" prio=5 tid=0x" + Long.toHexString(info.getThreadId()) + " nid=NA " + (blocked ? "waiting for monitor entry" : "waiting") + "\n");
            text.append("  java.lang.Thread.State: " + info.getThreadState() + "\n");
            for (ThreadInfo other : infos) {
                if (other.getThreadState() == Thread.State.BLOCKED && other.getLockOwnerId() == info.getThreadId()) {
                    text.append("\t blocks " + other.getThreadName() + "@" + (4_000 + other.getThreadId()) + "\n");
                }
            }
            if (blocked) {
                text.append("\t waiting for " + info.getLockOwnerName() + "@" + (4_000 + info.getLockOwnerId()) + " to release lock on <0x" + Integer.toHexString(info.getLockInfo().getIdentityHashCode()) + "> (a " + info.getLockInfo().getClassName() + ")\n");
            }
            StackTraceElement[] frames = info.getStackTrace();
            for (int i = 0; i < frames.length; i++) {
                text.append("\t  at " + frames[i].toString().replaceFirst("^.*/", "").replaceFirst("Native Method", frames[i].getFileName() + ":-1") + "\n");
                for (MonitorInfo held : info.getLockedMonitors()) {
                    if (held.getLockedStackDepth() == i) {
                        text.append("\t  - locked <0x" + Integer.toHexString(held.getIdentityHashCode()) + "> (a " + held.getClassName() + ")\n");
                    }
                }
            }
            text.append("\n");
        }
        return text.toString();
    }

    /** As OpenJ9 writes it. */
    static String javacore(ThreadInfo[] infos) {
        Map<Thread.State, String> states = new TreeMap<>(Map.of(Thread.State.BLOCKED, "B", Thread.State.WAITING, "P", Thread.State.TIMED_WAITING, "CW", Thread.State.RUNNABLE, "R"));
        StringBuilder text = new StringBuilder("0SECTION       TITLE subcomponent dump routine\n1TIDATETIME    Date: 2026/11/20 at 09:14:03:511\n"
                + "0SECTION       GPINFO subcomponent dump routine\n1CIJAVAVERSION JRE 25 Linux amd64-64 (build " + System.getProperty("java.runtime.version") + ")\nNULL           \n");
        for (ThreadInfo info : infos) {
            text.append("3XMTHREADINFO      \"%s\" J9VMThread:0x%016X, omrthread_t:0x00007F2A00000029, java/lang/Thread:0x00000000E2000029, state:%s, prio=5\n".formatted(info.getThreadName(), info.getThreadId(), states.get(info.getThreadState())));
            text.append("3XMJAVALTHREAD            (java/lang/Thread getId:0x%X, isDaemon:false)\n".formatted(info.getThreadId()));
            LockInfo wanted = info.getLockInfo();
            if (wanted != null) {
                boolean blocked = info.getThreadState() == Thread.State.BLOCKED;
                text.append("3XMTHREADBLOCK     %s on: %s@0x%016X Owned by: %s\n".formatted(blocked ? "Blocked" : "Parked", wanted.getClassName().replace('.', '/'), wanted.getIdentityHashCode(),
                        info.getLockOwnerName() == null ? "<unknown>" : "\"%s\" (J9VMThread:0x%016X, java/lang/Thread:0x00000000E200002A)".formatted(info.getLockOwnerName(), info.getLockOwnerId())));
            }
            text.append("3XMTHREADINFO3           Java callstack:\n");
            StackTraceElement[] frames = info.getStackTrace();
            for (int i = 0; i < frames.length; i++) {
                String at = frames[i].isNativeMethod() ? "Native Method" : frames[i].getFileName() + ":" + frames[i].getLineNumber() + (i % 2 == 0 ? "(Compiled Code)" : "");
                text.append("4XESTACKTRACE                at " + frames[i].getClassName().replace('.', '/') + "." + frames[i].getMethodName() + "(" + at + ")\n");
                for (MonitorInfo held : info.getLockedMonitors()) {
                    if (held.getLockedStackDepth() == i) {
                        text.append("5XESTACKTRACE                   (entered lock: %s@0x%016X, entry count: 1)\n".formatted(held.getClassName().replace('.', '/'), held.getIdentityHashCode()));
                    }
                }
            }
            text.append("NULL           \n");
        }
        return text.toString();
    }

    /** As Spring Boot's Actuator writes JSON, and what stands behind it renames. */
    static String actuator(ThreadInfo[] infos, Function<String, String> named) {
        List<String> threads = new ArrayList<>();
        for (ThreadInfo info : infos) {
            List<String> frames = new ArrayList<>();
            for (StackTraceElement frame : info.getStackTrace()) {
                frames.add(object(named, "className", frame.getClassName(), "methodName", frame.getMethodName(), "fileName", frame.getFileName(), "lineNumber", frame.getLineNumber(), "nativeMethod", frame.isNativeMethod(), "moduleName", frame.getModuleName(), "moduleVersion", frame.getModuleVersion()));
            }
            threads.add(object(named, "threadName", info.getThreadName(), "threadId", info.getThreadId(), "blockedTime", -1, "lockName", info.getLockName(), "lockOwnerId", info.getLockOwnerId(), "lockOwnerName", info.getLockOwnerName(),
                    "daemon", info.isDaemon(), "threadState", info.getThreadState().toString(), "stackTrace", frames,
                    "lockedMonitors", Arrays.stream(info.getLockedMonitors()).map(one -> object(named, "className", one.getClassName(), "identityHashCode", one.getIdentityHashCode(), "lockedStackDepth", one.getLockedStackDepth())).toList(),
                    "lockedSynchronizers", Arrays.stream(info.getLockedSynchronizers()).map(one -> object(named, "className", one.getClassName(), "identityHashCode", one.getIdentityHashCode())).toList()));
        }
        return "{\"threads\":" + threads + "}";
    }

    static String object(Function<String, String> named, Object... parts) {
        StringBuilder json = new StringBuilder();
        for (int i = 0; i < parts.length; i += 2) {
            Object value = parts[i + 1] instanceof String ? quoted((String) parts[i + 1]) : parts[i + 1];
            json.append(i == 0 ? "{" : ",").append(quoted(named.apply((String) parts[i]))).append(":").append(value);
        }
        return json + "}";
    }

    static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t") + "\"";
    }
}
