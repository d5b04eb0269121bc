package threadlab.inspect;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Finds what a thread waits for: the innermost call in its stack that is known to wait for something. */
final class WaitClassifier {

    /** A call that waits, and what for. */
    private record Call(WaitReason what, Predicate<String> frames) {
        Call(WaitReason what, String methods) {
            this(what, Pattern.compile("^(" + methods + ")").asPredicate());
        }
    }

    /** Takes a connection out of a pool, whatever JDK class the pool waits in. */
    private static final Predicate<String> POOL = Pattern.compile("^("
                    + "com\\.zaxxer\\.hikari\\.pool\\.HikariPool\\.getConnection\\("
                    + "|org\\.apache\\.tomcat\\.jdbc\\.pool\\.ConnectionPool\\.borrowConnection\\("
                    + "|org\\.apache\\.commons\\.(pool2|dbcp2)\\..*(borrowObject|getConnection)\\("
                    + "|com\\.mchange\\.v2\\.resourcepool\\..*(awaitAvailable|checkoutResource|prelimCheckoutResource)\\("
                    + "|io\\.agroal\\.pool\\.ConnectionPool\\.(getConnection|handlerFromSharedCache)\\("
                    + "|oracle\\.ucp\\..*(borrowConnection|getConnection)\\("
                    + "|org\\.apache\\.(http|hc)\\..*([lL]ease|getPoolEntryBlocking)[A-Za-z]*\\("
                    + "|redis\\.clients\\..*Pool\\.getResource\\("
                    + ")")
            .asPredicate();

    /** Belongs to a client whose connections do not lead to a database's driver. */
    private static final Predicate<String> CLIENT =
            Pattern.compile("^(org\\.apache\\.(http|hc)|redis\\.clients)\\.").asPredicate();

    /** Runs a statement, or is inside a transaction, and so holds a connection. */
    private static final Predicate<String> HOLDS = Pattern.compile("^("
                    + "com\\.zaxxer\\.hikari\\.pool\\.(Hikari)?Proxy"
                    + "|org\\.(postgresql|h2|mariadb)\\.jdbc\\.|com\\.mysql\\.cj\\.jdbc\\.|oracle\\.jdbc\\."
                    + "|org\\.springframework\\.transaction\\.(interceptor\\.TransactionInterceptor\\.invoke"
                    + "|support\\.TransactionTemplate\\.execute)\\("
                    + ")")
            .asPredicate();

    /** Waits for an answer that another thread reads from a socket. */
    private static final Predicate<String> REMOTE = Pattern.compile(
                    "^jdk\\.internal\\.net\\.http\\.HttpClient(Impl|Facade)\\.send\\(")
            .asPredicate();

    /** A worker of a pool that asks for its next task. */
    private static final Predicate<String> IDLE = Pattern.compile("^("
                    + "java\\.util\\.concurrent\\.(ThreadPoolExecutor\\.getTask"
                    + "|ForkJoinPool\\.awaitWork|DelayScheduler\\.loop)\\("
                    + "|org\\.apache\\.tomcat\\.util\\.threads\\.ThreadPoolExecutor\\.getTask\\("
                    + "|org\\.eclipse\\.jetty\\.util\\.thread\\.QueuedThreadPool.*\\.(idleJobPoll|idle)[A-Za-z]*\\("
                    + "|org\\.eclipse\\.jetty\\.util\\.thread\\.ReservedThreadExecutor.*\\("
                    + "|org\\.jboss\\.threads\\.EnhancedQueueExecutor.*\\.run\\("
                    + "|java\\.util\\.TimerThread\\.mainLoop\\("
                    + ")")
            .asPredicate();

    /** Tested in this order for each frame, from the innermost outwards, as long as the frames are the JDK's. */
    private static final List<Call> CALLS = List.of(
            new Call(WaitReason.SLEEP, "java\\.lang\\.Thread\\.sleep|java\\.lang\\.VirtualThread\\.sleep"),
            new Call(
                    WaitReason.SOCKET,
                    "sun\\.nio\\.ch\\.(NioSocketImpl|SocketChannelImpl|ServerSocketChannelImpl|DatagramChannelImpl|SocketDispatcher"
                            + "|UnixDomainSockets|Net|EPoll|EPollSelectorImpl|KQueue|KQueueSelectorImpl|WEPoll|WEPollSelectorImpl"
                            + "|SelectorImpl|Poller)\\."
                            + "|java\\.net\\.(Inet|Socket|ServerSocket|DatagramSocket)|sun\\.security\\.ssl\\."),
            new Call(
                    WaitReason.FILE,
                    "java\\.io\\.(FileInputStream|FileOutputStream|RandomAccessFile|FileDescriptor|UnixFileSystem|WinNTFileSystem)\\."
                            + "|sun\\.nio\\.ch\\.(FileChannelImpl|FileDispatcherImpl|UnixFileDispatcherImpl)\\."
                            + "|sun\\.nio\\.fs\\."
                            + "|java\\.lang\\.(ProcessImpl|ProcessHandleImpl|Process)[.$]"),
            new Call(WaitReason.PERMIT, "java\\.util\\.concurrent\\.Semaphore\\."),
            new Call(
                    WaitReason.LOCK,
                    "java\\.util\\.concurrent\\.locks\\.(ReentrantLock|ReentrantReadWriteLock|StampedLock)[.$]"),
            new Call(
                    WaitReason.RESULT,
                    "java\\.util\\.concurrent\\.(FutureTask|CompletableFuture|ForkJoinTask|ForkJoinPool\\.(awaitDone|helpComplete)"
                            + "|StructuredTaskScope|ThreadPerTaskExecutor|ExecutorService|ThreadPoolExecutor\\.awaitTermination"
                            + "|CountedCompleter|AbstractExecutorService)"
                            + "|jdk\\.internal\\.misc\\.ThreadFlock\\.|java\\.lang\\.(Virtual)?Thread\\.join"),
            new Call(WaitReason.CONDITION, "java\\.util\\.concurrent\\.(CountDownLatch|CyclicBarrier|Phaser)"),
            new Call(
                    WaitReason.QUEUE,
                    "java\\.util\\.concurrent\\.(\\w+(Queue|Deque)\\b|\\w+\\$\\w*Queue|Exchanger|SubmissionPublisher)"
                            + "|java\\.lang\\.ref\\.ReferenceQueue"));

    private static final Predicate<String> PARKED = Pattern.compile(
                    "^(java\\.lang\\.VirtualThread\\.(park|yield)|jdk\\.internal\\.misc\\.Unsafe\\.park|java\\.lang\\.Object\\.wait)")
            .asPredicate();

    private static final Predicate<String> UNMOUNTED = Pattern.compile(
                    "^java\\.lang\\.VirtualThread\\.(park|parkNanos|yieldContinuation)\\(")
            .asPredicate();

    private WaitClassifier() {}

    /** What a thread waits for, by its stack, and by its state where that is known. */
    static WaitReason of(ThreadState thread, Frames frames) {
        var stack = thread.stack();
        if ("BLOCKED".equals(thread.state())) {
            return WaitReason.LOCK;
        }
        if (thread.virtual() && "RUNNABLE".equals(thread.state()) && thread.carrier() == 0) {
            return WaitReason.CARRIER;
        }
        boolean parked = !stack.isEmpty() && PARKED.test(stack.getFirst());
        boolean waits = parked || "WAITING".equals(thread.state()) || "TIMED_WAITING".equals(thread.state());
        // a waiting task is deeper in the stack than the worker that asks for tasks
        if (waits && first(stack, IDLE) < first(stack, frames::isOwn)) {
            return WaitReason.TASK;
        }
        var known = known(stack, waits);
        if (known == WaitReason.SOCKET || known == WaitReason.FILE) {
            return known;
        }
        if (!waits) {
            return WaitReason.NOTHING;
        }
        if (stack.stream().anyMatch(REMOTE)) {
            return WaitReason.SOCKET;
        }
        // a pool may wait in any JDK class, but on a socket only while it opens a connection
        if (stack.stream().anyMatch(POOL)) {
            return WaitReason.CONNECTION;
        }
        if (known != WaitReason.NOTHING) {
            return known;
        }
        if (parked) {
            var caller = stack.stream().filter(frame -> !Frames.isJdk(frame)).findFirst();
            return caller.filter(frame -> frame.contains("Queue")).isPresent()
                    ? WaitReason.QUEUE
                    : WaitReason.CONDITION;
        }
        // it waits, but in none of the known calls: for a class that another thread is initializing
        return WaitReason.LOCK;
    }

    /**
     * Whether a thread holds a connection from a pool, as far as its stack shows; one that asks for another is not
     * counted.
     */
    static boolean holdsConnection(ThreadState thread) {
        return thread.stack().stream().anyMatch(HOLDS)
                && thread.stack().stream().noneMatch(POOL);
    }

    static boolean isInClient(ThreadState thread) {
        return thread.stack().stream().anyMatch(CLIENT);
    }

    /** What the innermost call of the JDK waits for. */
    private static WaitReason known(List<String> stack, boolean waits) {
        var found = WaitReason.NOTHING;
        for (String frame : stack) {
            if (!Frames.isJdk(frame)) {
                break;
            }
            for (Call call : CALLS) {
                if (call.frames.test(frame)
                        && (waits || call.what == WaitReason.SOCKET || call.what == WaitReason.FILE)) {
                    // the latch may be that of a thread being joined
                    if (call.what != WaitReason.CONDITION
                            && (found == WaitReason.NOTHING || call.what == WaitReason.RESULT)) {
                        return call.what;
                    }
                    found = found == WaitReason.NOTHING ? call.what : found;
                }
            }
        }
        return found;
    }

    /** Whether it holds its carrier. Dumps before Java 25 do not say: there, the stack decides. */
    static boolean isMounted(ThreadState thread) {
        if (!thread.virtual() || thread.stack().isEmpty()) {
            return false;
        }
        if (thread.state() != null || thread.carrier() != 0) {
            return thread.carrier() != 0;
        }
        return !UNMOUNTED.test(thread.stack().getFirst());
    }

    private static int first(List<String> stack, Predicate<String> wanted) {
        for (int i = 0; i < stack.size(); i++) {
            if (wanted.test(stack.get(i))) {
                return i;
            }
        }
        return stack.size();
    }
}
