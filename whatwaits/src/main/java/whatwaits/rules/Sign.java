package whatwaits.rules;

import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;

/** What a frame says about its thread, by its class and method. */
enum Sign {
    SLEEPS("java\\.lang\\.Thread\\.sleep|java\\.lang\\.VirtualThread\\.sleep"),
    SOCKET("sun\\.nio\\.ch\\.(NioSocketImpl|SocketChannelImpl|ServerSocketChannelImpl|DatagramChannelImpl"
            + "|SocketDispatcher|UnixDomainSockets|Net|EPoll|EPollSelectorImpl|KQueue|KQueueSelectorImpl|WEPoll"
            + "|WEPollSelectorImpl|SelectorImpl|Poller)\\."
            + "|java\\.net\\.(Inet|Socket|ServerSocket|DatagramSocket)|sun\\.security\\.ssl\\."),
    FILE("java\\.io\\.(FileInputStream|FileOutputStream|RandomAccessFile|FileDescriptor|UnixFileSystem"
            + "|WinNTFileSystem)\\."
            + "|sun\\.nio\\.ch\\.(FileChannelImpl|FileDispatcherImpl|UnixFileDispatcherImpl)\\."
            + "|sun\\.nio\\.fs\\."
            + "|java\\.lang\\.(ProcessImpl|ProcessHandleImpl|Process)[.$]"),
    /** Waits for the lock of a file, which another process has. */
    LOCKS_FILE("sun\\.nio\\.ch\\.\\w*FileDispatcherImpl\\.lock0?\\("),
    PERMIT("java\\.util\\.concurrent\\.Semaphore\\."),
    LOCK("java\\.util\\.concurrent\\.locks\\.(ReentrantLock|ReentrantReadWriteLock|StampedLock)[.$]"),
    RESULT("java\\.util\\.concurrent\\.(FutureTask|CompletableFuture|ForkJoinTask"
            + "|ForkJoinPool\\.(awaitDone|helpComplete)|StructuredTaskScope|ThreadPerTaskExecutor|ExecutorService"
            + "|ThreadPoolExecutor\\.awaitTermination|CountedCompleter|AbstractExecutorService)"
            + "|jdk\\.internal\\.misc\\.ThreadFlock\\.|java\\.lang\\.(Virtual)?Thread\\.join"),
    /** Waits for a lock of readers and writers: to read, to write. */
    READS("java\\.util\\.concurrent\\.locks\\.ReentrantReadWriteLock\\$ReadLock\\."),
    WRITES("java\\.util\\.concurrent\\.locks\\.ReentrantReadWriteLock\\$WriteLock\\."),
    LATCH("java\\.util\\.concurrent\\.(CountDownLatch|CyclicBarrier|Phaser)"),
    /** Waits for what somebody else completes, counts down or arrives at: that is never new work. */
    SIGNALS("java\\.util\\.concurrent\\.(CompletableFuture\\.(join|get)|CountDownLatch\\.await|CyclicBarrier\\.await"
            + "|Phaser\\.a\\w*[Aa]wait\\w*|Phaser\\.await\\w+)\\("),
    QUEUE("java\\.util\\.concurrent\\.(\\w+(Queue|Deque)\\b|\\w+\\$\\w*Queue|Exchanger|SubmissionPublisher)"
            + "|java\\.lang\\.ref\\.ReferenceQueue"),

    /** Runs a statement, or is inside a transaction, and so holds a connection. */
    HOLDS_CONNECTION(""),
    /** Waits for whoever comes: for a new connection, or for any of its connections. */
    LISTENS(
            "java\\.net\\.ServerSocket\\.(implA|a)ccept\\(|sun\\.nio\\.ch\\.(NioSocketImpl\\.accept"
                    + "|ServerSocketChannelImpl\\.\\w*[aA]ccept\\w*|SelectorImpl\\.\\w+|EPoll\\.wait|KQueue\\.poll|WEPoll\\.wait)\\("),
    /** Hands an element to the buffers of subscribers, and has a lock while it waits for room in one. */
    PUBLISHES("java\\.util\\.concurrent\\.SubmissionPublisher\\.(submit|offer)\\("),
    /** Handles an element that a subscriber has been handed. */
    CONSUMES("java\\.util\\.concurrent\\.SubmissionPublisher\\$ConsumerTask\\."),
    /** Ends the JVM, and waits for its shutdown hooks. */
    EXITS("java\\.lang\\.(Shutdown|ApplicationShutdownHooks)\\."),
    /** Reads what somebody types, or a parent process writes; before Java 25 no frame tells it from a file. */
    INPUT("java\\.lang\\.System\\$In\\."),
    /** Takes an element out of a queue. */
    TAKES("java\\.util\\.concurrent\\.\\w*(Queue|Deque)\\.(take|poll)\\w*\\("),
    /** Asks for the next task of a pool. */
    IDLE("java\\.util\\.concurrent\\.(ThreadPoolExecutor\\.getTask|ForkJoinPool\\.awaitWork|DelayScheduler\\.loop)\\("
            + "|java\\.util\\.TimerThread\\.mainLoop\\("),
    /** Asks for a task whose time will come. */
    CLOCK(
            "java\\.util\\.concurrent\\.(ScheduledThreadPoolExecutor\\$DelayedWorkQueue\\.(take|poll)|DelayQueue\\.|DelayScheduler\\.loop)\\("
                    + "|java\\.util\\.TimerThread\\.mainLoop\\("),
    /** Runs the tasks of a timer, one after the other. */
    TIMES("java\\.util\\.TimerThread\\.mainLoop\\("),
    /** Runs a task that is run again and again, between other tasks of the same thread. */
    REPEATS("java\\.util\\.TimerThread\\.mainLoop\\(|java\\.util\\.concurrent\\.FutureTask\\.runAndReset\\("),
    /** Runs a task of a schedule, for whose result hardly anybody waits. */
    SCHEDULES("java\\.util\\.concurrent\\.ScheduledThreadPoolExecutor\\$ScheduledFutureTask\\.run\\("),
    /** Answers a request: a server has called the program. */
    SERVES(""),
    /** Asks another program by HTTP, without a library. */
    ASKS("sun\\.net\\.www\\.(protocol\\.)?http"),
    /** Connects, looks up a name, or sends: the other side is slow, or does not take what comes. */
    GOES_OUT("sun\\.nio\\.ch\\.(NioSocketImpl\\.(connect|implWrite)|SocketChannelImpl\\.(blockingConnect|connect|write)"
            + "|SocketDispatcher\\.write|Net\\.connect)|java\\.net\\.Inet\\w*\\.lookup"),
    /** Writes to a file, which may be a pipe whose reader does not read. */
    WRITES_FILE("java\\.io\\.FileOutputStream\\.write|sun\\.nio\\.ch\\.\\w*FileDispatcherImpl\\.write"),
    /** Reads whatever comes to a server, if nothing keeps it from that: an event loop, a dispatcher. */
    LOOPS(""),
    /** Runs the tasks of a pool of platform threads. */
    WORKER("[\\w.]*ThreadPoolExecutor\\.runWorker\\(|[\\w.]*ThreadPoolExecutor\\$Worker\\.run\\("
            + "|java\\.util\\.concurrent\\.ForkJoinWorkerThread\\.run\\("),
    /** Runs a task of a pool that has a queue, of which no thread takes a part. */
    QUEUES("java\\.util\\.concurrent\\.ThreadPoolExecutor\\.runWorker\\("),
    /** Runs a task for whose result somebody may wait. */
    GIVES_RESULT("java\\.util\\.concurrent\\.FutureTask\\.run\\("),
    /** Runs a task that completes a future. */
    COMPLETES("java\\.util\\.concurrent\\.CompletableFuture\\$Async\\w+\\.run\\("),
    /** Works on a task of a pool that divides its tasks: its callers do so, too. */
    DIVIDES("java\\.util\\.concurrent\\.(ForkJoinTask|CountedCompleter)\\."),
    /** Runs a part of a parallel stream. */
    STREAMS("java\\.util\\.concurrent\\.CountedCompleter\\.exec\\("),
    /** Wakes the virtual threads that wait for a socket. */
    POLLS("sun\\.nio\\.ch\\.Poller\\.(subPollerL|pollerL)oop\\("),
    PARKS(
            "java\\.lang\\.VirtualThread\\.(park|yield)|jdk\\.internal\\.misc\\.Unsafe\\.park|java\\.lang\\.Object\\.wait"),
    /** Waits on its carrier: it cannot leave that. */
    PINNED("java\\.lang\\.VirtualThread\\.parkOnCarrierThread\\("),
    /** Innermost in a virtual thread that has left its carrier. */
    UNMOUNTS("java\\.lang\\.VirtualThread\\.(park|parkNanos|yieldContinuation)\\(");

    /** What stands before the package of a library that is packed into another one. */
    private static final Pattern PACKED = Pattern.compile("^([a-z_]\\w*\\.)+?(?=(org|com|io)\\.[a-z])");

    private final Pattern frames;

    /** Of frames of the JDK, and of libraries as their table says. */
    Sign(String frames) {
        var all = frames + Library.frames(name());
        this.frames = Pattern.compile("(" + (frames.isEmpty() ? all.substring(1) : all) + ")");
    }

    static Set<Sign> of(String frame) {
        var unpacked = PACKED.matcher(frame).replaceFirst("");
        var signs = EnumSet.noneOf(Sign.class);
        for (Sign sign : values()) {
            if (sign.frames.matcher(frame).lookingAt()
                    || sign.frames.matcher(unpacked).lookingAt()) {
                signs.add(sign);
            }
        }
        return signs;
    }
}
