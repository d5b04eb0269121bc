import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;

/**
 * Measures how long n threads take that each sort two numbers with the C library's qsort, all at the same time. The
 * comparison is written in Java and waits 0.5 s. C calls it, so a C function is then on the thread's stack.
 *
 * <p>Arguments: platform or virtual; n. Needs Java 22 or later, and --enable-native-access=ALL-UNNAMED.
 *
 * <p>CSV: contender (kind of thread and Java version), kind, n, seconds (wall time).
 */
class PinningNative {

    static int milliseconds;

    /** C calls this, with pointers to the two numbers. */
    static int compareSlowly(MemorySegment left, MemorySegment right) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Integer.compare(left.get(ValueLayout.JAVA_INT, 0), right.get(ValueLayout.JAVA_INT, 0));
    }

    /** {@code void qsort(void *base, size_t items, size_t size, int (*compare)(const void *, const void *))}. */
    static MethodHandle qsort() {
        var address = Linker.nativeLinker().defaultLookup().find("qsort").orElseThrow();
        return Linker.nativeLinker()
                .downcallHandle(
                        address,
                        FunctionDescriptor.ofVoid(
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.ADDRESS));
    }

    /** A pointer to a C function that calls {@link #compareSlowly}. */
    static MemorySegment pointerToCompare() throws ReflectiveOperationException {
        var pointerToInt = ValueLayout.ADDRESS.withTargetLayout(ValueLayout.JAVA_INT);
        var type = MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class);
        var method = MethodHandles.lookup().findStatic(PinningNative.class, "compareSlowly", type);
        var signature = FunctionDescriptor.of(ValueLayout.JAVA_INT, pointerToInt, pointerToInt);
        return Linker.nativeLinker().upcallStub(method, signature, Arena.global());
    }

    /** The smaller of 2 and 1, found by C. */
    static int smaller(MethodHandle qsort, MemorySegment compare) {
        try (var memory = Arena.ofConfined()) {
            var numbers = memory.allocateFrom(ValueLayout.JAVA_INT, 2, 1);
            qsort.invokeExact(numbers, 2L, 4L, compare);
            return numbers.getAtIndex(ValueLayout.JAVA_INT, 0);
        } catch (Throwable e) { // what a method handle declares
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        ThreadFactory threads = arguments[0].equals("virtual")
                ? Thread.ofVirtual().factory()
                : Thread.ofPlatform().factory();
        int n = Integer.parseInt(arguments[1]);
        var qsort = qsort();
        var compare = pointerToCompare();
        smaller(qsort, compare); // once without a wait: the first call links the calls to C and back
        milliseconds = 500;
        var sorted = new ArrayList<Future<Integer>>();
        long start = System.nanoTime();
        try (var executor = Executors.newThreadPerTaskExecutor(threads)) {
            for (int i = 0; i < n; i++) {
                sorted.add(executor.submit(() -> smaller(qsort, compare)));
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        for (var result : sorted) {
            if (result.get() != 1) {
                throw new IllegalStateException("qsort has not sorted: " + result.get() + " comes first");
            }
        }
        System.out.println("contender,kind,n,seconds");
        var kind = arguments[0];
        var contender = kind + " on Java " + Runtime.version().feature();
        System.out.println(String.join(",", contender, kind, String.valueOf(n), String.valueOf(seconds)));
    }
}
