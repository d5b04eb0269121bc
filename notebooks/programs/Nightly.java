import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * A Spring Boot application without a web server: after a second it makes a report, then one every 200 ms, and it ends
 * itself after the third.
 *
 * <p>Arguments: Spring Boot's properties, such as {@code --spring.threads.virtual.enabled=true}.
 */
@ImportAutoConfiguration(TaskSchedulingAutoConfiguration.class)
@EnableScheduling
public class Nightly {

    private int reports;

    @Scheduled(fixedRate = 200, initialDelay = 1_000)
    void report() {
        System.out.println("report " + ++reports + " on " + Thread.currentThread());
        if (reports == 3) {
            Runtime.getRuntime().halt(0); // exit() would wait for the scheduler, which waits for this call
        }
    }

    public static void main(String[] properties) {
        SpringApplication.run(Nightly.class, properties);
        System.out.println("main has returned");
    }
}
