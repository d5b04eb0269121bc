package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code jcmd} says of heaps of 64 MB, on Java 25 and 21. */
class HeapTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            39917 | Tenured    total 43712K, used 3795K [0x00000000fd550000, 0x0000000100000000, 0x0000000100000000)
            39917 | tenured generation   total 9000K, used 3795K [0x00000000fd550000, 0x00000000fe000000, 0x0000000100000000)
            41098 | ParOldGen       total 44032K, used 2934K [0x00000000fc000000, 0x00000000feb00000, 0x00000000feb00000)
            62549 | garbage-first heap   total reserved 65536K, committed 14336K, used 4011K [0x00000000fc000000, 0x0000000100000000)~ region size 1024K, 2 young (2048K), 1 survivors (1024K)
            """)
    void what_is_free_for_what_lives_long(int kilobytes, String said) {
        assertEquals(kilobytes, Heap.free(said.replace('~', '\n')) / 1024);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            4961 | Tenured    total 43712K, used 3795K [0x0)~ the  space 136576K,   0% used [0x00)~DefNew     total 61440K, used 1166K [0x00)
            4011 | garbage-first heap   total reserved 65536K, committed 14336K, used 4011K [0x0)~ Metaspace       used 300K
            8192 | ZHeap            used 8M, capacity 64M, max capacity 64M
            0    | Shenandoah Heap~ 200M max, 200M soft max, 200M committed, 2048K used
            """)
    void what_is_used(int kilobytes, String said) {
        assertEquals(kilobytes, Heap.used(said.replace('~', '\n')) / 1024);
    }

    @Test
    void of_other_collectors_it_is_not_known() {
        assertEquals(Double.NaN, Heap.free("ZHeap            used 8M, capacity 64M, max capacity 64M"));
    }

    @Test
    void the_busiest_thread_of_the_collector_counts() {
        var first =
                "\"VM Thread\" os_prio=0 cpu=5123.71ms elapsed=45.58s tid=0x1\n\"GC Thread#0\" os_prio=0 cpu=10.00ms elapsed=1s\n";
        var last =
                "\"VM Thread\" os_prio=0 cpu=5125.71ms elapsed=49.23s tid=0x1\n\"GC Thread#0\" os_prio=0 cpu=210.50ms elapsed=4s\n";
        assertEquals(200.5, Heap.collecting(first, last), 1e-9);
        assertEquals(0, Heap.collecting("", last));
    }
}
