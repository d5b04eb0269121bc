package whatwaits.rules;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Small dumps as a JVM writes them. */
final class Written {

    static final String PARK = "java.base/java.lang.VirtualThread.park(VirtualThread.java:1)";
    static final String UNSAFE = "java.base/jdk.internal.misc.Unsafe.park(Native Method)";
    static final String SEMAPHORE = "java.base/java.util.concurrent.Semaphore.acquire(Semaphore.java:1)";
    static final String LOCK = "java.base/java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:1)";
    static final String READ = "java.base/java.io.FileInputStream.read(FileInputStream.java:1)";

    private Written() {}

    /** A virtual thread; carrier 0 where it has none. */
    static String virtual(int id, String state, int carrier, String... frames) {
        var mounted = carrier == 0 ? "" : ", \"carrier\": \"%d\"".formatted(carrier);
        return "{\"tid\": \"%d\", \"virtual\": true, \"state\": \"%s\"%s, %s}"
                .formatted(id, state, mounted, stack(frames));
    }

    /** A platform thread. */
    static String platform(int id, String name, String state, String... frames) {
        return "{\"tid\": \"%d\", \"name\": \"%s\", \"virtual\": false, \"state\": \"%s\", %s}"
                .formatted(id, name, state, stack(frames));
    }

    /** A carrier that runs a virtual thread. */
    static String carrier(int id) {
        var run = "java.base/jdk.internal.vm.Continuation.run(Continuation.java:1)";
        return platform(id, "ForkJoinPool-1-worker-" + id, "WAITING", run, "shop.Hidden.frame(Hidden.java:1)");
    }

    private static String stack(String... frames) {
        return Arrays.stream(frames).collect(Collectors.joining("\", \"", "\"stack\": [\"", "\"]"));
    }

    /** What several threads belong to. */
    static String container(String name, String parent, String... threads) {
        return "{\"container\": \"%s\", \"parent\": %s, \"threads\": [%s]}"
                .formatted(name, parent == null ? "null" : "\"" + parent + "\"", String.join(", ", threads));
    }

    /** A dump of Java 25 with threads that belong to nothing else. */
    static ThreadDump of(String... threads) {
        return dump("25.0.3", container("<root>", null, threads));
    }

    /** A dump of a release, with all its containers. */
    static ThreadDump dump(String release, String... containers) {
        var text = "{\"threadDump\": {\"runtimeVersion\": \"%s\", \"threadContainers\": [%s]}}"
                .formatted(release, String.join(", ", containers));
        try {
            return new DumpReader(Owner::byName).read(new StringReader(text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
