import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

public class T08ReportBuilder {

    private final ExecutorService reports = Executors.newFixedThreadPool(4);
    private final ExecutorService chapters = reports;

    String build(String title) throws ExecutionException, InterruptedException {
        Thread.sleep(30);
        List<Future<String>> parts = new ArrayList<>();
        for (String name : List.of("summary", "figures", "appendix")) {
            parts.add(chapters.submit(() -> chapter(title, name)));
        }
        StringBuilder text = new StringBuilder();
        for (Future<String> part : parts) {
            text.append(part.get());
        }
        return text.toString();
    }

    private static String chapter(String title, String name) throws InterruptedException {
        Thread.sleep(10);
        return title + "/" + name + "\n";
    }

    void order(int n) {
        for (int i = 0; i < n; i++) {
            String title = "report " + i;
            reports.submit(() -> build(title));
        }
    }

    public static void main(String[] args) throws Exception {
        T08ReportBuilder builder = new T08ReportBuilder();
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        clock.scheduleAtFixedRate(() -> builder.order(5), 0, 400, TimeUnit.MILLISECONDS);
        Thread.sleep(1500);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
