import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import javax.sql.DataSource;

/** Records what threads look like that wait in a library for what it limits: see record.py. Each has places for two. */
public class Libraries {
    static final int PLACES = 2;
    static final int CALLERS = 4;
    static final List<Socket> kept = new ArrayList<>();

    static void pause() {
        try {
            Thread.sleep(60_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void start(int callers, Callable<?> call) {
        for (int i = 0; i < callers; i++) {
            Thread.ofVirtual().start(() -> {
                try {
                    call.call();
                } catch (Exception e) {
                    e.printStackTrace();
                }
            });
        }
    }

    /** Each caller keeps its connection. */
    static void database(DataSource source) {
        start(CALLERS, () -> sell(source));
    }

    static int sell(DataSource source) throws Exception {
        try (var connection = source.getConnection()) {
            pause();
        }
        return 0;
    }

    /** A server that accepts, reads, and answers nobody. */
    static String server() throws Exception {
        var door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("server").start(() -> {
            while (true) {
                try {
                    kept.add(door.accept());
                } catch (Exception e) {
                    return;
                }
            }
        });
        return "http://127.0.0.1:" + door.getLocalPort() + "/";
    }

    static DataSource hikari(String name, int places) {
        var config = new com.zaxxer.hikari.HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:" + name);
        config.setPoolName(name);
        config.setMaximumPoolSize(places);
        return new com.zaxxer.hikari.HikariDataSource(config);
    }

    static DataSource dbcp() {
        var source = new org.apache.commons.dbcp2.BasicDataSource();
        source.setUrl("jdbc:h2:mem:dbcp");
        source.setMaxTotal(PLACES);
        return source;
    }

    static DataSource c3p0() throws Exception {
        var source = new com.mchange.v2.c3p0.ComboPooledDataSource();
        source.setDriverClass("org.h2.Driver");
        source.setJdbcUrl("jdbc:h2:mem:c3p0");
        source.setMinPoolSize(1);
        source.setInitialPoolSize(1);
        source.setMaxPoolSize(PLACES);
        return source;
    }

    static DataSource druid() {
        var source = new com.alibaba.druid.pool.DruidDataSource();
        source.setUrl("jdbc:h2:mem:druid");
        source.setMaxActive(PLACES);
        return source;
    }

    static DataSource tomcat() {
        var source = new org.apache.tomcat.jdbc.pool.DataSource();
        source.setDriverClassName("org.h2.Driver");
        source.setUrl("jdbc:h2:mem:tomcat");
        source.setMaxActive(PLACES);
        source.setInitialSize(1);
        return source;
    }

    static DataSource agroal() throws Exception {
        var supplier = new io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(pool -> pool.maxSize(PLACES)
                        .acquisitionTimeout(Duration.ofMinutes(1))
                        .connectionFactoryConfiguration(factory -> factory.jdbcUrl("jdbc:h2:mem:agroal")));
        return io.agroal.api.AgroalDataSource.from(supplier);
    }

    static DataSource ucp() throws Exception {
        var source = oracle.ucp.jdbc.PoolDataSourceFactory.getPoolDataSource();
        source.setConnectionFactoryClassName("org.h2.jdbcx.JdbcDataSource");
        source.setURL("jdbc:h2:mem:ucp");
        source.setUser("sa");
        source.setPassword("");
        source.setMaxPoolSize(PLACES);
        source.setConnectionWaitDuration(Duration.ofMinutes(1));
        return source;
    }

    /** Redis as far as a pool's connections need it: each command is answered with OK. */
    static int redis() throws Exception {
        var door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("server").start(() -> {
            while (true) {
                try {
                    var client = door.accept();
                    Thread.ofPlatform().daemon().name("server-1").start(() -> ok(client));
                } catch (Exception e) {
                    return;
                }
            }
        });
        return door.getLocalPort();
    }

    static void jedis() throws Exception {
        var config = new redis.clients.jedis.JedisPoolConfig();
        config.setMaxTotal(PLACES);
        var pool = new redis.clients.jedis.JedisPool(config, "127.0.0.1", redis());
        start(CALLERS, () -> {
            try (var connection = pool.getResource()) {
                pause();
            }
            return 0;
        });
    }

    /** Only what reads a value gets no answer. */
    static void ok(Socket client) {
        try (var lines = new java.io.BufferedReader(new java.io.InputStreamReader(client.getInputStream()))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("*")) {
                    lines.readLine();
                    if (!lines.readLine().equalsIgnoreCase("get")) {
                        client.getOutputStream().write("+OK\r\n".getBytes());
                    }
                }
            }
        } catch (Exception e) {
            // the client has gone
        }
    }

    static void lettuce() throws Exception {
        var client = io.lettuce.core.RedisClient.create("redis://127.0.0.1:" + redis());
        client.setOptions(io.lettuce.core.ClientOptions.builder()
                .protocolVersion(io.lettuce.core.protocol.ProtocolVersion.RESP2)
                .pingBeforeActivateConnection(false)
                .build());
        var connection = client.connect();
        start(CALLERS, () -> connection.sync().get("price"));
    }

    static java.util.Properties kafka() {
        var settings = new java.util.Properties();
        settings.put("bootstrap.servers", "127.0.0.1:1");
        settings.put("group.id", "shop");
        for (var side : List.of("key", "value")) {
            settings.put(side + ".serializer", "org.apache.kafka.common.serialization.StringSerializer");
            settings.put(side + ".deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        }
        return settings;
    }

    static void kafkaClients() {
        var producer = new org.apache.kafka.clients.producer.KafkaProducer<String, String>(kafka());
        start(CALLERS, () -> producer.send(new org.apache.kafka.clients.producer.ProducerRecord<>("orders", "one")));
        var consumer = new org.apache.kafka.clients.consumer.KafkaConsumer<String, String>(kafka());
        consumer.subscribe(List.of("orders"));
        Thread.ofPlatform().name("listener-1").start(() -> consumer.poll(Duration.ofMinutes(1)));
    }

    static void mongo() {
        var client = com.mongodb.client.MongoClients.create("mongodb://127.0.0.1:1");
        start(CALLERS, () -> client.getDatabase("shop").getCollection("orders").find().first());
    }

    static void httpClient5() throws Exception {
        var manager = org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder.create()
                .setMaxConnPerRoute(PLACES)
                .build();
        var client = org.apache.hc.client5.http.impl.classic.HttpClients.custom()
                .setConnectionManager(manager)
                .build();
        var url = server();
        start(CALLERS, () -> client.execute(new org.apache.hc.client5.http.classic.methods.HttpGet(url), answer -> 0));
    }

    static void httpClient4() throws Exception {
        var client = org.apache.http.impl.client.HttpClients.custom()
                .setMaxConnPerRoute(PLACES)
                .build();
        var url = server();
        start(CALLERS, () -> client.execute(new org.apache.http.client.methods.HttpGet(url)));
    }

    static void jdk() throws Exception {
        var client = HttpClient.newHttpClient();
        var request = HttpRequest.newBuilder(URI.create(server())).build();
        start(2, () -> client.send(request, HttpResponse.BodyHandlers.ofString()));
        start(2, () -> client.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .get());
    }

    /** What Spring Boot's RestClient does where no other client is on the class path. */
    static void spring() throws Exception {
        var factory = new org.springframework.http.client.JdkClientHttpRequestFactory();
        var url = URI.create(server());
        start(CALLERS, () -> factory.createRequest(url, org.springframework.http.HttpMethod.GET)
                .execute());
    }

    static void okhttp() throws Exception {
        var url = server();
        var request = new okhttp3.Request.Builder().url(url).build();
        var one = new okhttp3.OkHttpClient.Builder()
                .readTimeout(Duration.ofMinutes(1))
                .build();
        start(2, () -> one.newCall(request).execute());
        var two = new okhttp3.OkHttpClient.Builder()
                .readTimeout(Duration.ofMinutes(1))
                .protocols(List.of(okhttp3.Protocol.H2_PRIOR_KNOWLEDGE))
                .build();
        start(2, () -> two.newCall(request).execute());
    }

    static int inside(Semaphore door) throws Exception {
        door.acquire();
        pause();
        return 0;
    }

    static void bulkhead() {
        var bulkhead = io.github.resilience4j.bulkhead.Bulkhead.of(
                "door",
                io.github.resilience4j.bulkhead.BulkheadConfig.custom()
                        .maxConcurrentCalls(PLACES)
                        .maxWaitDuration(Duration.ofMinutes(1))
                        .build());
        start(CALLERS, () -> {
            bulkhead.executeRunnable(Libraries::pause);
            return 0;
        });
    }

    static void limiter() {
        var limiter = io.github.resilience4j.ratelimiter.RateLimiter.of(
                "rate",
                io.github.resilience4j.ratelimiter.RateLimiterConfig.custom()
                        .limitForPeriod(1)
                        .limitRefreshPeriod(Duration.ofSeconds(30))
                        .timeoutDuration(Duration.ofMinutes(5))
                        .build());
        start(CALLERS, () -> {
            limiter.executeRunnable(Libraries::pause);
            return 0;
        });
    }

    static void throttle() {
        var executor = new org.springframework.core.task.SimpleAsyncTaskExecutor("task-");
        executor.setVirtualThreads(true);
        executor.setConcurrencyLimit(PLACES);
        start(CALLERS, () -> {
            executor.execute(Libraries::pause);
            return 0;
        });
    }

    /** What WebFlux has on Linux where the native library is on the class path. */
    static void netty() throws Exception {
        var loops = new io.netty.channel.MultiThreadIoEventLoopGroup(2, io.netty.channel.epoll.EpollIoHandler.newFactory());
        for (var loop : loops) {
            loop.submit(() -> 0).get();
        }
    }

    static class Text implements io.grpc.MethodDescriptor.Marshaller<String> {
        @Override
        public java.io.InputStream stream(String value) {
            return new java.io.ByteArrayInputStream(value.getBytes());
        }

        @Override
        public String parse(java.io.InputStream stream) {
            return "";
        }
    }

    static void grpc() throws Exception {
        var channel = io.grpc.ManagedChannelBuilder.forAddress("127.0.0.1", URI.create(server()).getPort())
                .usePlaintext()
                .build();
        var method = io.grpc.MethodDescriptor.newBuilder(new Text(), new Text())
                .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("shop.Shop/Sell")
                .build();
        start(CALLERS, () -> io.grpc.stub.ClientCalls.blockingUnaryCall(
                channel, method, io.grpc.CallOptions.DEFAULT, "one"));
    }

    static void jetty() throws Exception {
        var server = new org.eclipse.jetty.server.Server(new java.net.InetSocketAddress("127.0.0.1", 0));
        server.start();
    }

    /** In transactions, statements that last: of H2, by Hikari's proxies. */
    static void statements() throws Exception {
        var source = hikari("statements", 2 * PLACES);
        try (var connection = source.getConnection(); var statement = connection.createStatement()) {
            statement.execute("create alias pause for 'java.lang.Thread.sleep(long)'");
        }
        Callable<?> sells = () -> {
            try (var connection = source.getConnection(); var statement = connection.createStatement()) {
                return statement.execute("call pause(60000)");
            }
        };
        var manager = new org.springframework.jdbc.datasource.DataSourceTransactionManager(source);
        var proxy = new org.springframework.aop.framework.ProxyFactory(sells);
        proxy.addAdvice(new org.springframework.transaction.interceptor.TransactionInterceptor(
                manager, new org.springframework.transaction.interceptor.MatchAlwaysTransactionAttributeSource()));
        start(PLACES, (Callable<?>) proxy.getProxy());
    }

    /** Drivers whose database does not answer. */
    static void drivers() throws Exception {
        int port = URI.create(server()).getPort();
        for (String url : List.of("postgresql://127.0.0.1:%d/shop", "mariadb://127.0.0.1:%d/shop",
                "mysql://127.0.0.1:%d/shop", "oracle:thin:@127.0.0.1:%d/shop")) {
            start(1, () -> java.sql.DriverManager.getConnection("jdbc:" + url.formatted(port), "shop", "shop"));
        }
    }

    /** A server that has answered, and whose thread is idle. */
    static void derby() throws Exception {
        System.setProperty("derby.stream.error.file", "/dev/null");
        int port;
        try (var free = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        new org.apache.derby.drda.NetworkServerControl(InetAddress.getLoopbackAddress(), port).start(null);
        Thread.sleep(3_000);
        java.sql.DriverManager.getConnection("jdbc:derby://127.0.0.1:" + port + "/memory:shop;create=true").close();
    }

    static void servlet() throws Exception {
        var context = new org.eclipse.jetty.ee10.servlet.ServletContextHandler("/");
        context.addServlet(new jakarta.servlet.http.HttpServlet() {
            @Override
            protected void doGet(jakarta.servlet.http.HttpServletRequest asked, jakarta.servlet.http.HttpServletResponse told) {
                pause();
            }
        }, "/*");
        var server = new org.eclipse.jetty.server.Server(new java.net.InetSocketAddress("127.0.0.1", 0));
        server.setHandler(context);
        server.start();
        start(1, () -> HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(server.getURI()).build(), HttpResponse.BodyHandlers.ofString()));
    }

    static void undertow() {
        io.undertow.Undertow.builder()
                .addHttpListener(0, "127.0.0.1")
                .setWorkerThreads(4)
                .setHandler(exchange -> exchange.dispatch(() -> {}))
                .build()
                .start();
    }

    static void tomcatServer() throws Exception {
        var tomcat = new org.apache.catalina.startup.Tomcat();
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir") + "/tomcat-"
                + ProcessHandle.current().pid());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.start();
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "hikari" -> {
                var orders = hikari("orders", PLACES);
                start(5, () -> sell(orders));
                var audit = hikari("audit", 1);
                start(3, () -> sell(audit));
            }
            case "dbcp" -> database(dbcp());
            case "c3p0" -> database(c3p0());
            case "druid" -> database(druid());
            case "tomcat-jdbc" -> database(tomcat());
            case "agroal" -> database(agroal());
            case "ucp" -> database(ucp());
            case "jedis" -> jedis();
            case "httpclient5" -> httpClient5();
            case "httpclient4" -> httpClient4();
            case "jdk-http" -> jdk();
            case "spring-http" -> spring();
            case "okhttp" -> okhttp();
            case "semaphore" -> {
                var door = new Semaphore(PLACES);
                start(CALLERS, () -> inside(door));
            }
            case "bulkhead" -> bulkhead();
            case "limiter" -> limiter();
            case "throttle" -> throttle();
            case "lettuce" -> lettuce();
            case "kafka" -> kafkaClients();
            case "mongo" -> mongo();
            case "netty" -> netty();
            case "grpc" -> grpc();
            case "jetty" -> jetty();
            case "statements" -> statements();
            case "drivers" -> drivers();
            case "derby" -> derby();
            case "servlet" -> servlet();
            case "undertow" -> undertow();
            case "tomcat" -> tomcatServer();
            default -> throw new IllegalArgumentException(args[0]);
        }
        Thread.sleep(3_000);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(Path.of(args[1]).toAbsolutePath().toString(), ThreadDumpFormat.JSON);
        Runtime.getRuntime().halt(0);
    }
}
