package foreign;

import io.javalin.Javalin;
import io.javalin.http.Context;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.concurrent.Semaphore;

/** Accounts: money goes from one to another, and a partner hears of it. */
public class Bank {
    private static final Account[] accounts = {new Account(), new Account(), new Account()};
    private static final Semaphore calls = new Semaphore(Integer.getInteger("calls", 50));
    private static String partner;

    static class Account {
        long money = 1_000;
    }

    private static void tell() throws Exception {
        var connection = (HttpURLConnection) URI.create(partner).toURL().openConnection();
        try (var answer = connection.getInputStream()) {
            answer.readAllBytes();
        }
    }

    private static void notice(Context request) throws Exception {
        calls.acquire();
        try {
            tell();
        } finally {
            calls.release();
        }
        request.result("told");
    }

    private static void transfer(Context request) throws Exception {
        var from = accounts[Integer.parseInt(request.pathParam("from"))];
        var to = accounts[Integer.parseInt(request.pathParam("to"))];
        synchronized (from) {
            tell();
            synchronized (to) {
                from.money--;
                to.money++;
            }
        }
        request.result("done");
    }

    private static void add(Context request) {
        long sum = 0;
        for (long i = Long.parseLong(request.pathParam("n")); i > 0; i--) {
            sum += Long.toString(i * 31).hashCode();
        }
        request.result("sum " + sum);
    }

    public static void main(String[] arguments) {
        partner = arguments[1];
        Javalin.create(config -> {
                    config.concurrency.useVirtualThreads = true;
                    config.routes.get("/", request -> request.result("ok"));
                    config.routes.get("/notice", Bank::notice);
                    config.routes.get("/transfer/{from}/{to}", Bank::transfer);
                    config.routes.get("/add/{n}", Bank::add);
                })
                .start("127.0.0.1", Integer.parseInt(arguments[0]));
    }
}
