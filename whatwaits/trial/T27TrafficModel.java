import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicLong;

public class T27TrafficModel {

    static final int DISTRICTS = 6;

    final Phaser minutes = new Phaser(DISTRICTS);
    final AtomicLong cars = new AtomicLong();

    class District implements Runnable {
        final int index;
        int streets;

        District(int index) {
            this.index = index;
            this.streets = index == 4 ? 3 : 40;
        }

        @Override
        public void run() {
            try {
                for (int minute = 0; minute < 5_000; minute++) {
                    if (minute == 3 && streets < 10) {
                        return;
                    }
                    for (int s = 0; s < streets; s++) {
                        cars.addAndGet(s * minute % 7);
                    }
                    Thread.sleep(20 + 15 * index);
                    minutes.arriveAndAwaitAdvance();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void start() {
        for (int i = 0; i < DISTRICTS; i++) {
            Thread t = new Thread(new District(i), "district-" + i);
            t.setDaemon(true);
            t.start();
        }
    }

    public static void main(String[] args) throws Exception {
        new T27TrafficModel().start();
        Thread.sleep(1300);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
