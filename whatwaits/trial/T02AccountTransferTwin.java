import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

public class T02AccountTransferTwin {

    static final class Account {
        final int id;
        final ReentrantLock guard = new ReentrantLock();
        long cents;

        Account(int id, long cents) {
            this.id = id;
            this.cents = cents;
        }
    }

    static final AtomicLong booked = new AtomicLong();

    static void transfer(Account from, Account to, long cents) throws InterruptedException {
        Account first = from.id < to.id ? from : to;
        Account second = from.id < to.id ? to : from;
        first.guard.lock();
        try {
            Thread.sleep(15);
            second.guard.lock();
            try {
                from.cents -= cents;
                to.cents += cents;
                booked.incrementAndGet();
            } finally {
                second.guard.unlock();
            }
        } finally {
            first.guard.unlock();
        }
    }

    static void clerk(Account from, Account to) {
        try {
            for (;;) {
                transfer(from, to, 100);
                Thread.sleep(60);
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    public static void main(String[] args) throws Exception {
        Account giro = new Account(1, 500_000);
        Account savings = new Account(2, 500_000);

        ExecutorService clerks = Executors.newFixedThreadPool(4);
        clerks.execute(() -> clerk(giro, savings));
        clerks.execute(() -> clerk(savings, giro));
        clerks.execute(() -> clerk(new Account(3, 100), new Account(4, 100)));
        clerks.execute(() -> clerk(new Account(5, 100), new Account(6, 100)));

        int rounds = 0;
        while (!(giro.guard.hasQueuedThreads() && savings.guard.hasQueuedThreads()) && rounds++ < 12) {
            Thread.sleep(100);
        }
        Thread.sleep(300);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
