public class T09CurrenciesTwin {

    static class Country {
        static final String HOME = load();
        static int hits;

        static String load() {
            pause(300);
            return "CH/" + Currency.symbol();
        }

        static String name() {
            hits++;
            return HOME;
        }
    }

    static class Currency {
        static final String DEFAULT = load();
        static int hits;

        static String load() {
            pause(300);
            return "CHF/" + Country.name();
        }

        static String symbol() {
            hits++;
            return DEFAULT;
        }
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void serve(String name, Runnable request) {
        var t = new Thread(() -> {
            while (true) {
                request.run();
                pause(80);
            }
        }, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) {
        Country.name();
        serve("address-form", () -> Country.name());
        serve("price-form", () -> Currency.symbol());
        pause(400);
        serve("invoice-1", () -> Currency.symbol());
        serve("invoice-2", () -> Country.name());
        pause(1000);
        System.out.println("ready " + ProcessHandle.current().pid());
        pause(100_000);
        System.exit(0);
    }
}
