import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class T19PasswordCheck {

    static final int ROUNDS = 1_500_000;

    static byte[] hash(byte[] secret) throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        byte[] value = secret;
        for (int i = 0; i < ROUNDS; i++) {
            value = digest.digest(value);
        }
        return value;
    }

    public static void main(String[] args) throws Exception {
        int cpus = Math.min(2, Runtime.getRuntime().availableProcessors());
        ExecutorService hashing = Executors.newFixedThreadPool(cpus, r -> {
            Thread t = new Thread(r, "hashing");
            t.setDaemon(true);
            return t;
        });
        for (int i = 0; i < 12; i++) {
            byte[] secret = ("secret-" + i).getBytes();
            Thread login = new Thread(() -> {
                try {
                    while (true) {
                        hashing.submit(() -> hash(secret)).get();
                        Thread.sleep(200);
                    }
                } catch (Exception e) {
                    System.err.println(e);
                }
            }, "login-" + i);
            login.setDaemon(true);
            login.start();
        }
        Thread.sleep(1500);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
