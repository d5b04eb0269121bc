import java.awt.image.BufferedImage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

public class T10ImageResizeTwin {

    static final Semaphore buffers = new Semaphore(6);
    static final AtomicInteger counter = new AtomicInteger();

    static BufferedImage decode(int number) {
        if (number % 7 == 3) {
            return null;
        }
        return new BufferedImage(64, 64, BufferedImage.TYPE_INT_RGB);
    }

    static int resize(int number) throws InterruptedException {
        buffers.acquire();
        BufferedImage image = decode(number);
        if (image == null) {
            buffers.release();
            return 0;
        }
        int sum = 0;
        for (int y = 0; y < 64; y += 2) {
            for (int x = 0; x < 64; x += 2) {
                sum += image.getRGB(x, y);
            }
        }
        Thread.sleep(8);
        buffers.release();
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Thread[] workers = new Thread[10];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread("resize-" + i) {
                public void run() {
                    try {
                        while (true) {
                            resize(counter.incrementAndGet());
                            Thread.sleep(40);
                        }
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            };
            workers[i].setDaemon(true);
            workers[i].start();
        }
        int last = -1;
        for (int i = 0; i < 5 && last != counter.get(); i++) {
            last = counter.get();
            Thread.sleep(300);
        }
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
