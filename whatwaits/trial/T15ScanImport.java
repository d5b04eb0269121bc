import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

class T15ScanImport {

    private static final LinkedBlockingQueue<byte[]> pages = new LinkedBlockingQueue<>(50);

    static void scanner() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(100);
                pages.put(new byte[512]);
            }
        } catch (InterruptedException e) {
            throw new RuntimeException(e);
        }
    }

    static void archive() {
        try {
            while (true) {
                byte[] page = pages.take();
                store(page);
            }
        } catch (InterruptedException e) {
            throw new RuntimeException(e);
        }
    }

    static void store(byte[] page) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(page.length);
    }

    void main() throws InterruptedException {
        for (int i = 1; i <= 12; i++) {
            Thread.ofPlatform().daemon().name("scanner-" + i).start(T15ScanImport::scanner);
        }
        Thread.ofPlatform().daemon().name("archive").start(T15ScanImport::archive);
        for (int i = 0; i < 10 && pages.remainingCapacity() > 0; i++) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
        TimeUnit.MILLISECONDS.sleep(300);
        System.out.println("ready " + ProcessHandle.current().pid());
        TimeUnit.SECONDS.sleep(100);
        System.exit(0);
    }
}
