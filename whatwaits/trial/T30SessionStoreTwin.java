import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

public class T30SessionStoreTwin {

    static final long SPARE = 42L << 20;

    final List<byte[]> sessions = new ArrayList<>();

    void fill() {
        Runtime runtime = Runtime.getRuntime();
        System.gc();
        long room = runtime.maxMemory() - (runtime.totalMemory() - runtime.freeMemory()) - SPARE;
        for (long used = 0; used < room; used += 16 * 1024) {
            sessions.add(new byte[16 * 1024 - 16]);
        }
    }

    void login() {
        int place = ThreadLocalRandom.current().nextInt(sessions.size());
        byte[] session = new byte[16 * 1024 - 16];
        session[0] = 1;
        synchronized (sessions) {
            sessions.set(place, session);
        }
    }

    void serve() {
        try {
            while (true) {
                for (int i = 0; i < 20; i++) {
                    login();
                }
                Thread.sleep(30);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        T30SessionStoreTwin store = new T30SessionStoreTwin();
        store.fill();
        for (int i = 0; i < 3; i++) {
            Thread front = new Thread(store::serve, "front-" + i);
            front.setDaemon(true);
            front.start();
        }
        Thread.sleep(1000);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(95_000);
        System.exit(0);
    }
}
