import java.util.concurrent.SynchronousQueue;

public class T28LabelPrinter {

    private final SynchronousQueue<String> tray = new SynchronousQueue<>();
    private int printed;

    private void print() throws InterruptedException {
        while (true) {
            String label = tray.take();
            if (label.isBlank()) {
                break;
            }
            printed++;
            Thread.sleep(5);
        }
    }

    private void pack(String station) throws InterruptedException {
        for (int n = 0; ; n++) {
            String label = n % 10 == 4 ? "" : station + "-" + n;
            tray.put(label);
            Thread.sleep(120);
        }
    }

    @FunctionalInterface
    private interface Body {
        void run() throws InterruptedException;
    }

    private static Thread thread(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name);
        thread.setDaemon(true);
        return thread;
    }

    public static void main(String[] args) throws InterruptedException {
        T28LabelPrinter printer = new T28LabelPrinter();
        thread("printer", printer::print).start();
        thread("station-a", () -> printer.pack("a")).start();
        thread("station-b", () -> printer.pack("b")).start();
        thread("station-c", () -> printer.pack("c")).start();
        Thread.sleep(1300);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
