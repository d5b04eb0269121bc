import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import threadlab.child.Parent;

/**
 * The service that notebook 15 diagnoses: a shop, in Spring MVC on virtual threads, with PostgreSQL and other services
 * that it calls. The data, the files and the behaviour of the others are drawn for each case.
 *
 * <p>Arguments: properties of Spring Boot, such as --shop.neighbours=http://127.0.0.1:8080. It answers the
 * notebook on which port it listens, on the loopback interface.
 */
@SpringBootConfiguration
@EnableAutoConfiguration(exclude = HibernateJpaAutoConfiguration.class)
class Shop {

    public static void main(String[] properties) {
        System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
        var shop = new SpringApplication(
                Shop.class, Neighbours.class, Catalogue.class, Texts.class, Rates.class, Offers.class, Stock.class,
                Till.class, Audit.class, Couriers.class, Seals.class, Receipts.class, Orders.class);
        shop.setLogStartupInfo(false);
        var context = (WebServerApplicationContext) shop.run(properties);
        Parent.answer(new Ready(context.getWebServer().getPort()));
    }

    record Ready(int port) {}

    record Item(int id, String name, Path text, int shelf, boolean watched, boolean courier) {}

    record Offer(int supplier, int price, int currency) {}

    /** One request is one order. */
    @RestController
    static class Orders {
        private final Catalogue catalogue;
        private final Texts texts;
        private final Offers offers;
        private final Stock stock;
        private final Till till;
        private final Couriers couriers;
        private final Seals seals;
        private final Receipts receipts;
        private final Semaphore door;
        private final AtomicInteger numbers = new AtomicInteger();

        Orders(
                Catalogue catalogue, Texts texts, Offers offers, Stock stock, Till till, Couriers couriers,
                Seals seals, Receipts receipts, @Value("${shop.door}") int door) {
            this.catalogue = catalogue;
            this.texts = texts;
            this.offers = offers;
            this.stock = stock;
            this.till = till;
            this.couriers = couriers;
            this.seals = seals;
            this.receipts = receipts;
            this.door = new Semaphore(door);
        }

        @GetMapping("/order")
        String order() throws Exception {
            if (!door.tryAcquire()) {
                throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
            }
            try {
                int number = numbers.incrementAndGet();
                var page = receipts.page();
                var item = catalogue.item(number);
                var offer = offers.cheapest(offers.all(item));
                stock.reserve(item);
                till.pay(item, offer);
                couriers.handOver(item, number);
                return receipts.print(page, number, texts.read(item), seals.seal(item));
            } finally {
                door.release();
            }
        }
    }

    /** The other services: suppliers, the bank, the warehouse, couriers. */
    @Component
    static class Neighbours {
        private final URI place;

        Neighbours(@Value("${shop.neighbours}") URI place) {
            this.place = place;
        }

        /** A request by HTTP 1.0, on a connection of its own. */
        String ask(String path) {
            try (var socket = new Socket(place.getHost(), place.getPort())) {
                var question = "GET " + path + " HTTP/1.0\r\n\r\n";
                socket.getOutputStream().write(question.getBytes(StandardCharsets.UTF_8));
                var answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return answer.substring(answer.indexOf("\r\n\r\n") + 4);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The items to buy. */
    @Component
    static class Catalogue {
        private final List<Item> items;
        private final Map<String, Integer> settings = new ConcurrentHashMap<>();

        Catalogue(JdbcClient db) {
            items = db.sql("select * from items order by id")
                    .query((row, i) -> new Item(
                            row.getInt("id"), row.getString("name"), Path.of(row.getString("text")),
                            row.getInt("shelf"), row.getBoolean("watched"), row.getBoolean("courier")))
                    .list();
            db.sql("select * from settings").query(row -> {
                settings.put(row.getString("name"), row.getInt("value"));
            });
        }

        Item item(int number) {
            return items.get(number % items.size());
        }

        int setting(String name) {
            return settings.get(name);
        }
    }

    /** The printed text about an item; its maker may change it at any time. */
    @Component
    static class Texts {

        String read(Item item) throws IOException {
            try (var file = Files.newBufferedReader(item.text())) {
                return file.readLine();
            }
        }
    }

    /** The value of a foreign currency. When a rate is no longer valid, one of a few threads asks for the next. */
    @Component
    static class Rates {
        record Rate(double value, Instant end) {}

        private final Neighbours neighbours;
        private final Map<Integer, Rate> known = new ConcurrentHashMap<>();
        private final ExecutorService askers = Executors.newFixedThreadPool(
                16, Thread.ofPlatform().daemon().name("rates-", 0).factory());

        Rates(Neighbours neighbours) {
            this.neighbours = neighbours;
        }

        double of(int currency) {
            var rate = known.get(currency);
            if (rate == null || Instant.now().isAfter(rate.end())) {
                var answer = CompletableFuture.supplyAsync(() -> neighbours.ask("/rate?currency=" + currency), askers)
                        .join().split(" ");
                var validFor = Duration.ofMillis(Integer.parseInt(answer[1]));
                rate = new Rate(Double.parseDouble(answer[0]), Instant.now().plus(validFor));
                known.put(currency, rate);
            }
            return rate.value();
        }
    }

    /** The suppliers' prices for an item. The C library's sort compares them. */
    @Component
    static class Offers {
        private static final int HOME = 0;
        private static Rates rates;

        private final Neighbours neighbours;
        private final List<Integer> suppliers;

        Offers(Neighbours neighbours, Rates rates, JdbcClient db) {
            this.neighbours = neighbours;
            suppliers = db.sql("select id from suppliers order by id").query(Integer.class).list();
            Offers.rates = rates;
            Objects.requireNonNull(C.COMPARE); // the call to C is prepared before the first request
        }

        List<Offer> all(Item item) {
            return suppliers.parallelStream().map(supplier -> offer(supplier, item)).toList();
        }

        Offer offer(int supplier, Item item) {
            var answer = neighbours.ask("/offer?supplier=" + supplier + "&item=" + item.id()).split(" ");
            return new Offer(supplier, Integer.parseInt(answer[0]), Integer.parseInt(answer[1]));
        }

        Offer cheapest(List<Offer> offers) {
            try (var memory = Arena.ofConfined()) {
                var rows = memory.allocate(ValueLayout.JAVA_INT, 3L * offers.size());
                for (int i = 0; i < offers.size(); i++) {
                    rows.setAtIndex(ValueLayout.JAVA_INT, 3L * i, i);
                    rows.setAtIndex(ValueLayout.JAVA_INT, 3L * i + 1, offers.get(i).price());
                    rows.setAtIndex(ValueLayout.JAVA_INT, 3L * i + 2, offers.get(i).currency());
                }
                C.QSORT.invokeExact(rows, (long) offers.size(), 12L, C.COMPARE);
                return offers.get(rows.get(ValueLayout.JAVA_INT, 0));
            } catch (Throwable e) { // what a method handle declares
                throw new IllegalStateException(e);
            }
        }

        /** C calls this, with pointers to two rows. */
        static int compare(MemorySegment left, MemorySegment right) {
            try {
                return Double.compare(value(left), value(right));
            } catch (RuntimeException e) {
                return 0; // C has no exceptions
            }
        }

        private static double value(MemorySegment row) {
            int currency = row.get(ValueLayout.JAVA_INT, 8);
            return row.get(ValueLayout.JAVA_INT, 4) * (currency == HOME ? 1 : rates.of(currency));
        }
    }

    /** The link to C's qsort. */
    static class C {
        static final MethodHandle QSORT;
        static final MemorySegment COMPARE;

        static {
            var linker = Linker.nativeLinker();
            var row = ValueLayout.ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(
                    12, ValueLayout.JAVA_BYTE));
            QSORT = linker.downcallHandle(
                    linker.defaultLookup().find("qsort").orElseThrow(),
                    FunctionDescriptor.ofVoid(
                            ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
            try {
                var type = MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class);
                COMPARE = linker.upcallStub(
                        MethodHandles.lookup().findStatic(Offers.class, "compare", type),
                        FunctionDescriptor.of(ValueLayout.JAVA_INT, row, row),
                        Arena.global());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** The warehouse brings an item; items from the same shelf come one after the other. */
    @Component
    static class Stock {
        private final Neighbours neighbours;
        private final Map<Integer, ReentrantLock> shelves = new ConcurrentHashMap<>();

        Stock(Neighbours neighbours) {
            this.neighbours = neighbours;
        }

        void reserve(Item item) {
            var shelf = shelves.computeIfAbsent(item.shelf(), number -> new ReentrantLock());
            shelf.lock();
            try {
                neighbours.ask("/bring?item=" + item.id());
            } finally {
                shelf.unlock();
            }
        }
    }

    /** Records the order and lets the bank move the money. */
    @Component
    static class Till {
        private final JdbcClient db;
        private final Neighbours neighbours;
        private final Audit audit;

        Till(JdbcClient db, Neighbours neighbours, Audit audit) {
            this.db = db;
            this.neighbours = neighbours;
            this.audit = audit;
        }

        @Transactional
        public void pay(Item item, Offer offer) {
            db.sql("insert into orders (item, price) values (?, ?)").params(item.id(), offer.price()).update();
            neighbours.ask("/pay?price=" + offer.price());
            if (item.watched()) {
                audit.note(item);
            }
        }
    }

    /** Remembers who bought a watched item, even if the order fails. */
    @Component
    static class Audit {
        private final JdbcClient db;

        Audit(JdbcClient db) {
            this.db = db;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void note(Item item) {
            db.sql("insert into notes (item) values (?)").param(item.id()).update();
        }
    }

    /** Some items go by courier. A message says when the courier has taken the parcel. */
    @Component
    static class Couriers {
        private final Neighbours neighbours;
        private final int patience;
        private final Map<Integer, Object> parcels = new ConcurrentHashMap<>();

        Couriers(Neighbours neighbours, Catalogue catalogue, @Value("${shop.neighbours}") String url) {
            this.neighbours = neighbours;
            patience = catalogue.setting("patience in ms");
            Thread.ofPlatform().daemon().name("messages").start(() -> listen(url + "/messages"));
        }

        void handOver(Item item, int number) throws InterruptedException {
            if (!item.courier()) {
                return;
            }
            var parcel = new Object();
            parcels.put(number, parcel);
            neighbours.ask("/courier?parcel=" + number);
            synchronized (parcel) {
                parcel.wait(patience);
            }
        }

        void taken(int number) {
            var parcel = parcels.remove(number);
            synchronized (parcel) {
                parcel.notifyAll();
            }
        }

        private void listen(String url) {
            try (var messages = new BufferedReader(
                    new InputStreamReader(URI.create(url).toURL().openStream(), StandardCharsets.UTF_8))) {
                for (var number = messages.readLine(); number != null; number = messages.readLine()) {
                    taken(Integer.parseInt(number));
                }
            } catch (IOException e) {
                // the other side has closed
            }
        }
    }

    /** A number that proves that a receipt is ours. */
    @Component
    static class Seals {
        private final int rounds;

        Seals(Catalogue catalogue) {
            rounds = catalogue.setting("rounds of a seal");
        }

        long seal(Item item) {
            long seal = 0x9E3779B97F4A7C15L + item.id();
            for (int i = 0; i < rounds; i++) {
                seal ^= seal << 13;
                seal ^= seal >>> 7;
                seal ^= seal << 17;
            }
            return seal;
        }
    }

    /** Prints receipts on a page that each thread keeps, with a pattern that cannot be copied. */
    @Component
    static class Receipts {
        private final int strokes;
        private final ThreadLocal<byte[]> pages = ThreadLocal.withInitial(this::drawn);

        Receipts(Catalogue catalogue) {
            strokes = catalogue.setting("strokes of a page");
        }

        byte[] page() {
            return pages.get();
        }

        byte[] drawn() {
            var page = new byte[4_096];
            long stroke = 0x2545F4914F6CDD1DL;
            for (int i = 0; i < strokes; i++) {
                stroke ^= stroke << 13;
                stroke ^= stroke >>> 7;
                stroke ^= stroke << 17;
                page[i % page.length] = (byte) stroke;
            }
            return page;
        }

        String print(byte[] page, int number, String text, long seal) {
            var line = ("order " + number + ": " + text + ", " + Long.toHexString(seal))
                    .getBytes(StandardCharsets.UTF_8);
            System.arraycopy(line, 0, page, 0, line.length);
            return new String(page, 0, line.length, StandardCharsets.UTF_8);
        }
    }
}
