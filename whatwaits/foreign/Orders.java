package foreign;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** Orders are stored; a partner is told within the transaction, and an audit has a transaction of its own. */
@SpringBootApplication
@RestController
public class Orders {
    private static String partner;
    private final RestClient client = RestClient.create();
    private final JdbcTemplate database;
    private final TransactionTemplate order;
    private final TransactionTemplate audit;

    Orders(JdbcTemplate database, PlatformTransactionManager transactions) {
        this.database = database;
        order = new TransactionTemplate(transactions);
        audit = new TransactionTemplate(transactions);
        audit.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        database.execute("create table orders(id int auto_increment, told varchar(100))");
        database.execute("create table stock(id int, n int)");
        database.execute("insert into stock values (1, 1000000)");
    }

    private String tell() {
        return client.get().uri(partner).retrieve().body(String.class);
    }

    @GetMapping("/")
    String ok() {
        return "ok";
    }

    @GetMapping("/partner")
    String ask() {
        return tell();
    }

    @GetMapping("/order")
    String order() {
        return order.execute(status -> {
            database.update("insert into orders(told) values (?)", "open");
            return tell();
        });
    }

    @GetMapping("/audited")
    String audited() {
        return order.execute(status -> {
            database.update("insert into orders(told) values (?)", "open");
            tell();
            return audit.execute(inner -> "logged " + database.queryForObject("select count(*) from stock", int.class));
        });
    }

    @GetMapping("/stock")
    String stock() {
        return order.execute(status -> {
            database.update("update stock set n = n - 1 where id = 1");
            return tell();
        });
    }

    public static void main(String[] arguments) {
        partner = arguments[0];
        SpringApplication.run(Orders.class, arguments);
    }
}
