import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

public class T04ChatRooms {

    record Room(int number, String title, ReentrantLock door, LongAdder lines) {
        Room(int number, String title) {
            this(number, title, new ReentrantLock(), new LongAdder());
        }

        void say() {
            door.lock();
            try {
                lines.increment();
            } finally {
                door.unlock();
            }
        }
    }

    static void move(Room a, Room b) throws InterruptedException {
        var one = a;
        var two = b;
        one.door().lock();
        try {
            Thread.sleep(40);
            two.door().lock();
            try {
                b.lines().increment();
            } finally {
                two.door().unlock();
            }
        } finally {
            one.door().unlock();
        }
    }

    static Thread mover(String user, Room a, Room b) {
        return Thread.ofVirtual().name(user).start(() -> {
            try {
                while (true) {
                    move(a, b);
                    Thread.sleep(200);
                }
            } catch (InterruptedException e) {
                // user gone
            }
        });
    }

    public static void main(String[] args) throws Exception {
        var rooms = List.of(new Room(1, "lobby"), new Room(2, "support"), new Room(3, "sales"),
                new Room(4, "music"), new Room(5, "games"), new Room(6, "quiet"));

        var anna = mover("anna", rooms.get(0), rooms.get(1));
        var bert = mover("bert", rooms.get(1), rooms.get(0));

        for (int i = 0; i < 60; i++) {
            var room = rooms.get(i % rooms.size());
            Thread.ofVirtual().name("guest-" + i).start(() -> {
                try {
                    while (true) {
                        Thread.sleep(ThreadLocalRandom.current().nextInt(100, 900));
                        room.say();
                    }
                } catch (InterruptedException e) {
                    // guest gone
                }
            });
        }

        for (int i = 0; i < 10; i++) {
            Thread.sleep(150);
            if (anna.getState() == Thread.State.WAITING && bert.getState() == Thread.State.WAITING) {
                break;
            }
        }
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
