import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Spool of outgoing mail with an index of recipients. */
class T03MailSpoolTwin {
    private final Lock folder = new ReentrantLock();
    private final Deque<String> messages = new ArrayDeque<>();
    private int indexed;

    void deliver(String text) throws InterruptedException {
        folder.lock();
        try {
            messages.addLast(text);
            Thread.sleep(25);
            index(text);
        } finally {
            folder.unlock();
        }
    }

    private void index(String text) {
        synchronized (this) {
            indexed += text.length();
        }
    }

    void compact() throws InterruptedException {
        Thread.sleep(25);
        folder.lock();
        try {
            while (messages.size() > 5) {
                messages.removeFirst();
            }
        } finally {
            folder.unlock();
        }
    }

    static class Sender extends Thread {
        private final T03MailSpoolTwin spool;

        Sender(T03MailSpoolTwin spool) {
            super("mail-sender");
            this.spool = spool;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (!isInterrupted()) {
                    spool.deliver("Dear customer");
                    sleep(50);
                }
            } catch (InterruptedException e) {
                interrupt();
            }
        }
    }

    static class Janitor extends Thread {
        private final T03MailSpoolTwin spool;

        Janitor(T03MailSpoolTwin spool) {
            super("mail-janitor");
            this.spool = spool;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (!isInterrupted()) {
                    spool.compact();
                    sleep(50);
                }
            } catch (InterruptedException e) {
                interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        T03MailSpoolTwin spool = new T03MailSpoolTwin();
        Sender sender = new Sender(spool);
        Janitor janitor = new Janitor(spool);
        sender.start();
        janitor.start();
        long until = System.currentTimeMillis() + 1500;
        while (System.currentTimeMillis() < until) {
            Thread.sleep(200);
            if (sender.getState() == Thread.State.BLOCKED && janitor.getState() == Thread.State.WAITING) {
                break;
            }
        }
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
