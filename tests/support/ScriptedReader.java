import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tech.tablesaw.api.Table;
import threadlab.cases.Fault;
import threadlab.cases.Repair;
import threadlab.inspect.Tables;
import whatwaits.rules.ThreadDump;
import whatwaits.rules.Verdict;
import whatwaits.rules.WaitReason;

/**
 * Finds the fault of a shop by what the tools of notebook 15 show of it, as its table in part 6 says. It reads no source; only
 * its repairs are written beforehand.
 */
class ScriptedReader {

    /** What is wrong, the line, and the figure that proves it. */
    record Found(Fault cause, String line, double figure) {}

    /** A group of the dump: what its threads wait for, how many they are, a stack. */
    record Group(WaitReason waits, boolean virtual, int threads, int onCarrier, List<String> stack) {
        boolean in(String words) {
            return stack.stream().anyMatch(frame -> frame.contains(words));
        }

        /** On its way from one line of the shop to the next. */
        boolean inPassing() {
            return line().equals("?") || line().startsWith("Shop$Orders.order(");
        }

        /** The innermost line of the shop that is no helper's; of these the one before the request's own. */
        String line() {
            var own = stack.stream().filter(frame -> frame.startsWith("Shop$") && !frame.contains("$$")).toList();
            return own.stream()
                    .filter(frame -> !frame.contains(".ask(") && !frame.contains("lambda$"))
                    .findFirst()
                    .orElse("?");
        }
    }

    static List<Group> groups(ThreadDump dump) {
        var table = Tables.groups(dump);
        return IntStream.range(0, table.rowCount())
                .mapToObj(row -> new Group(
                        waitsFor(table.getString(row, "waits for")),
                        table.getString(row, "kind").equals("virtual"),
                        table.intColumn("threads").get(row),
                        table.intColumn("on a carrier").get(row),
                        Arrays.asList(table.getString(row, "stack").split("\n"))))
                .toList();
    }

    private static WaitReason waitsFor(String words) {
        return Arrays.stream(WaitReason.values()).filter(what -> what.toString().equals(words)).findFirst().orElseThrow();
    }

    static Found read(Verdict limits, Table load, Table watched, ThreadDump dump, Table events) {
        double perSecond = limits.throughput();
        var groups = groups(dump);
        // orders may come in rounds: what holds the carriers is missing from a dump between two rounds
        var onCarrier = Stream.of(dump, limits.dump())
                .flatMap(moment -> groups(moment).stream())
                .filter(group -> group.virtual() && group.onCarrier() > 0 && !group.inPassing())
                .toList();
        double carriers = watched.doubleColumn("parallelism").max();
        double held = 1_000 * carriers / perSecond;
        // on busy CPUs the loading of a class pins long, too, but at no line of the shop
        var ended = events.where(events.stringColumn("event")
                .isEqualTo("VirtualThreadPinned")
                .and(events.doubleColumn("milliseconds").isGreaterThan(20))
                .and(events.stringColumn("where").startsWith("Shop")));
        if (ended.rowCount() > 3) {
            return new Found(Fault.NATIVE_FRAME, ended.getString(0, "where"), held);
        }
        var waitsForFile = first(onCarrier, WaitReason.FILE, "Shop$");
        if (waitsForFile != null) {
            return new Found(Fault.SLOW_FILES, waitsForFile.line(), held);
        }
        var computes = onCarrier.stream()
                .filter(group -> group.waits() == WaitReason.NOTHING)
                .toList();
        if (watched.doubleColumn("mounted").mean() > 0.8 * carriers && !computes.isEmpty()) {
            double orders = perSecond * load.doubleColumn("seconds").get(0);
            double cpuMs = 1_000 * load.doubleColumn("server CPU (s)").get(0) / orders;
            // a thread that only passes also computes, but fills no cache
            var fills = computes.stream().filter(group -> group.in("ThreadLocal.setInitialValue")).findFirst();
            var where = fills.orElse(computes.getFirst());
            return new Found(fills.isPresent() ? Fault.PER_THREAD_CACHE : Fault.CPU_WORK, where.line(), cpuMs);
        }
        var lock = first(groups, WaitReason.LOCK, "Shop$");
        if (lock != null && lock.threads() > 3) {
            return new Found(Fault.HOT_LOCK, lock.line(), 1_000 / perSecond);
        }
        var wanted = groups.stream().filter(group -> group.waits() == WaitReason.CONNECTION).toList();
        if (!wanted.isEmpty()) {
            double connections = connections(limits);
            var again = wanted.stream().filter(group -> group.in("handleExistingTransaction")).findFirst();
            if (again.isPresent()) {
                // each of them has a connection; between two rounds some may have none
                int most = Stream.of(dump, limits.dump())
                        .flatMap(moment -> groups(moment).stream())
                        .filter(group -> group.in("handleExistingTransaction"))
                        .mapToInt(Group::threads)
                        .max()
                        .orElseThrow();
                return new Found(Fault.NESTED_TRANSACTION, again.get().line(), most);
            }
            // those who have one
            var holders = groups.stream()
                    .filter(group -> group.waits() == WaitReason.SOCKET && group.in("TransactionInterceptor"))
                    .toList();
            var asks = holders.stream()
                    .filter(group -> !group.in("org.postgresql"))
                    .findFirst();
            // the shop's door lets in 30; if more wait, it lets in all
            if (wanted.stream().mapToInt(Group::threads).sum() <= 30 && asks.isPresent()) {
                return new Found(Fault.CONNECTION_HELD, asks.get().line(), 1_000 * connections / perSecond);
            }
            return new Found(Fault.UNBOUNDED_ADMISSION, wanted.getFirst().line(), perSecond);
        }
        var stream = first(groups, WaitReason.RESULT, "java.util.stream");
        if (stream != null && stream.threads() > 3) {
            return new Found(Fault.PARALLEL_STREAM, stream.line(), 1_000 / perSecond);
        }
        var condition = first(groups, WaitReason.CONDITION, "Shop$");
        if (condition != null) {
            return new Found(Fault.LOST_WAKE_UP, condition.line(), load.doubleColumn("min (ms)").get(0) - 50);
        }
        throw new IllegalStateException("nothing found in\n" + limits + "\n" + dump);
    }

    /** What to change, once the cause is known. */
    static Repair repair(Fault cause) {
        return switch (cause) {
            case SLOW_FILES -> Repair.method("""
                    private final ExecutorService readers = Executors.newFixedThreadPool(16);

                    String read(Item item) throws Exception {
                        return readers.submit(() -> {
                            try (var file = Files.newBufferedReader(item.text())) {
                                return file.readLine();
                            }
                        }).get();
                    }
                    """);
            case NATIVE_FRAME -> Repair.method("""
                    Offer cheapest(List<Offer> offers) {
                        return Collections.min(offers, Comparator.comparingDouble(offer ->
                                offer.price() * (offer.currency() == HOME ? 1 : rates.of(offer.currency()))));
                    }
                    """);
            case HOT_LOCK -> Repair.method("""
                    void reserve(Item item) {
                        var one = shelves.computeIfAbsent(item.id(), number -> new ReentrantLock());
                        one.lock();
                        try {
                            neighbours.ask("/bring?item=" + item.id());
                        } finally {
                            one.unlock();
                        }
                    }
                    """);
            case CONNECTION_HELD -> Repair.method("""
                    public void pay(Item item, Offer offer) {
                        neighbours.ask("/pay?price=" + offer.price());
                        db.sql("insert into orders (item, price) values (?, ?)").params(item.id(), offer.price()).update();
                        if (item.watched()) {
                            audit.note(item);
                        }
                    }
                    """);
            case NESTED_TRANSACTION -> Repair.method("""
                    @Transactional
                    public void note(Item item) {
                        db.sql("insert into notes (item) values (?)").param(item.id()).update();
                    }
                    """);
            case UNBOUNDED_ADMISSION -> Repair.setting("shop.door", 8);
            case CPU_WORK -> Repair.method("""
                    private final Map<Integer, Long> known = new ConcurrentHashMap<>();

                    long seal(Item item) {
                        return known.computeIfAbsent(item.id(), id -> {
                            long seal = 0x9E3779B97F4A7C15L + id;
                            for (int i = 0; i < rounds; i++) {
                                seal ^= seal << 13;
                                seal ^= seal >>> 7;
                                seal ^= seal << 17;
                            }
                            return seal;
                        });
                    }
                    """);
            case PER_THREAD_CACHE -> Repair.method("""
                    private byte[] first;

                    byte[] page() {
                        synchronized (pages) {
                            if (first == null) {
                                first = drawn();
                            }
                        }
                        return first.clone();
                    }
                    """);
            case LOST_WAKE_UP -> Repair.method("""
                    void handOver(Item item, int number) throws InterruptedException {
                        if (!item.courier()) {
                            return;
                        }
                        var parcel = new Object();
                        parcels.put(number, parcel);
                        neighbours.ask("/courier?parcel=" + number);
                        long end = System.nanoTime() + patience * 1_000_000L;
                        synchronized (parcel) {
                            for (long ms; parcels.containsKey(number)
                                    && (ms = (end - System.nanoTime()) / 1_000_000) > 0; ) {
                                parcel.wait(ms);
                            }
                        }
                    }
                    """);
            case PARALLEL_STREAM -> Repair.method("""
                    List<Offer> all(Item item) {
                        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                            var asked = suppliers.stream().map(supplier -> threads.submit(() -> offer(supplier, item))).toList();
                            threads.close();
                            return asked.stream().map(Future::resultNow).toList();
                        }
                    }
                    """);
        };
    }

    private static double connections(Verdict limits) {
        var table = Tables.limits(limits);
        return table.where(table.stringColumn("limit").isEqualTo("connections")).doubleColumn("of").get(0);
    }

    private static Group first(List<Group> groups, WaitReason waits, String words) {
        return groups.stream()
                .filter(group -> group.waits() == waits && group.virtual() && group.in(words))
                .findFirst()
                .orElse(null);
    }
}
