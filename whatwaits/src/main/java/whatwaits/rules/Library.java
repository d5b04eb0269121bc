package whatwaits.rules;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A library whose threads wait for something that it limits, or for an answer, in any class of the JDK.
 *
 * @param name for people
 * @param waits what its callers wait for
 * @param what which connection, such as a client's to something other than a database, what a socket brings, or who waits
 */
record Library(String name, WaitReason waits, String what) {

    /**
     * All that is known of libraries, one row each: a fact, whose it is, of what kind, the method or the package of a
     * frame, or the name of a pool's threads, and the dump that shows it ({@code -}: none has been recorded yet). A fact is what
     * callers wait for, a {@link Sign} of frames, or that the threads of a pool answer requests; a star stands for any letters.
     */
    private static final String TABLE = """
            CONNECTION | HikariCP | | com.zaxxer.hikari.pool.HikariPool.getConnection | hikari
            CONNECTION | Tomcat JDBC | | org.apache.tomcat.jdbc.pool.ConnectionPool.borrowConnection | tomcat-jdbc
            CONNECTION | Commons Pool | | org.apache.commons.pool2.impl.GenericObjectPool.borrowObject | dbcp
            CONNECTION | DBCP | | org.apache.commons.dbcp2.PoolingDataSource.getConnection | dbcp
            CONNECTION | c3p0 | | com.mchange.v2.resourcepool.BasicResourcePool.awaitAvailable | c3p0
            CONNECTION | Druid | | com.alibaba.druid.pool.DruidDataSource.takeLast | druid
            CONNECTION | Druid | | com.alibaba.druid.pool.DruidDataSource.pollLast | druid
            CONNECTION | Agroal | | io.agroal.pool.ConnectionPool.handlerFromSharedCache | agroal
            CONNECTION | UCP | | oracle.ucp.common.UniversalConnectionPoolImpl.getAvailableConnection | ucp
            CONNECTION | Jedis | client | redis.clients.jedis.util.Pool.getResource | jedis
            CONNECTION | HttpClient 5 | client | org.apache.hc.client5.http.impl.classic.InternalExecRuntime.acquireEndpoint | httpclient5
            CONNECTION | HttpClient 4 | client | org.apache.http.pool.AbstractConnPool.getPoolEntryBlocking | httpclient4
            SOCKET | the JDK's HttpClient | an HTTP answer | jdk.internal.net.http.HttpClientImpl.send | jdk-http
            SOCKET | the JDK's HttpClient | an HTTP answer | jdk.internal.net.http.ResponseSubscribers$HttpResponseInputStream.current | servers/tomcat-full
            SOCKET | Spring's RestClient | an HTTP answer | org.springframework.http.client.JdkClientHttpRequest.executeInternal | spring-http
            SOCKET | HttpClient 5 | an HTTP answer | org.apache.hc.core5.http.impl.io.HttpRequestExecutor.execute | httpclient5
            SOCKET | OkHttp | an HTTP answer | okhttp3.internal.connection.Exchange.readResponseHeaders | okhttp
            SOCKET | gRPC | an answer | io.grpc.stub.ClientCalls$ThreadlessExecutor.waitAndDrain | grpc
            SOCKET | Lettuce | an answer | io.lettuce.core.internal.Futures.awaitOrCancel | lettuce
            SOCKET | MongoDB | a server of its cluster | com.mongodb.internal.connection.BaseCluster.selectServer | mongo
            SOCKET | Kafka | a server of its cluster | org.apache.kafka.clients.producer.KafkaProducer.waitOnMetadata | kafka
            SOCKET | Netty | any of its connections | io.netty.channel.epoll.Native.epollWait | netty
            PERMIT | Resilience4j's bulkhead | | io.github.resilience4j.bulkhead.internal.SemaphoreBulkhead.tryEnterBulkhead | bulkhead
            PERMIT | Resilience4j's rate limiter | | io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter.waitForPermission | limiter
            PERMIT | Tomcat's limit on connections | acceptor | org.apache.tomcat.util.threads.LimitLatch.countUpOrAwait | servers/tomcat-sockets
            PERMIT | Helidon's limit on connections | acceptor | io.helidon.webserver.ServerListener.listen | servers/helidon-sockets
            PERMIT | ActiveMQ's MemoryUsage | | org.apache.activemq.usage.Usage.waitForSpace | servers/activemq
            LOCK | H2's Transaction | | org.h2.mvstore.tx.Transaction.waitForThisToEnd | servers/h2-row
            LOCK | H2's MVTable | | org.h2.mvstore.db.MVTable.doLock1 | servers/h2-table
            LOCK | Derby's ActiveLock | | org.apache.derby.impl.services.locks.ActiveLock.waitForGrant | servers/derby-row
            PERMIT | Spring's concurrency limit | | org.springframework.util.ConcurrencyThrottleSupport.beforeAccess | throttle
            IDLE | Tomcat | | org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask( | tomcat
            IDLE | Jetty | | org.eclipse.jetty.util.thread.QueuedThreadPool*.idle*( | jetty
            IDLE | Jetty | | org.eclipse.jetty.util.thread.ReservedThreadExecutor*( | servers/jetty-full
            IDLE | JBoss | | org.jboss.threads.EnhancedQueueExecutor*.run( | servers/undertow-full
            IDLE | Derby | | org.apache.derby.impl.drda.NetworkServerControlImpl.getNextSession( | derby
            IDLE | OkHttp | | okhttp3.internal.concurrent.TaskRunner.awaitTaskToRun( | okhttp
            IDLE | OkHttp | | okio.AsyncTimeout*.awaitTimeout( | okhttp
            WORKER | Jetty | | org.eclipse.jetty.util.thread.QueuedThreadPool | jetty
            WORKER | JBoss | | org.jboss.threads.EnhancedQueueExecutor | servers/undertow-full
            WORKER | Derby | | org.apache.derby.impl.drda.DRDAConnThread.run( | servers/derby-full
            SERVES | Tomcat | | org.apache.tomcat. | servers/tomcat-full
            SERVES | Tomcat | | org.apache.catalina. | servers/tomcat-full
            SERVES | Tomcat | | org.apache.coyote. | servers/tomcat-full
            SERVES | Jetty | | org.eclipse.jetty.server. | servers/jetty-full
            SERVES | Jetty | | org.eclipse.jetty.ee*. | servlet
            SERVES | Undertow | | io.undertow. | servers/undertow-full
            SERVES | Helidon | | io.helidon.webserver. | servers/helidon-rate
            SERVES | Spring | | org.springframework.web.servlet. | servers/tomcat-full
            SERVES | Spring | | org.springframework.web.method. | servers/tomcat-full
            SERVES | Spring | | org.springframework.web.reactive. | -
            SERVES | the JDK's server | | sun.net.httpserver. | servers/jdk-dispatcher
            SERVES | Quarkus | | io.quarkus.vertx.http. | -
            LOOPS | Netty | | *EventLoop.run( | netty
            LOOPS | the JDK's server | | sun.net.httpserver.ServerImpl$Dispatcher.run( | servers/jdk-dispatcher
            HOLDS_CONNECTION | Hikari | | com.zaxxer.hikari.pool.HikariProxy | statements
            HOLDS_CONNECTION | Hikari | | com.zaxxer.hikari.pool.Proxy | statements
            HOLDS_CONNECTION | PostgreSQL | | org.postgresql.jdbc. | drivers
            HOLDS_CONNECTION | H2 | | org.h2.jdbc. | statements
            HOLDS_CONNECTION | MariaDB | | org.mariadb.jdbc. | drivers
            HOLDS_CONNECTION | MySQL | | com.mysql.cj.jdbc. | drivers
            HOLDS_CONNECTION | Oracle | | oracle.jdbc. | drivers
            HOLDS_CONNECTION | Spring | | org.springframework.transaction.interceptor.TransactionInterceptor.invoke( | statements
            HOLDS_CONNECTION | Spring | | org.springframework.transaction.support.TransactionTemplate.execute( | servers/tomcat-circle
            POOL | Tomcat | | http*-exec | servers/tomcat-full
            POOL | Jetty | | qtp* | servers/jetty-full
            POOL | Derby | | DRDAConnThread* | servers/derby-full
            POOL | Undertow | others read | XNIO*task | servers/undertow-full
            POOL | WildFly | others read | default task* | -
            POOL | Quarkus | others read | executor-thread* | -
            POOL | Vert.x | others read | vert.x-worker-thread* | servers/vertx-workers
            """;

    /** One row. */
    record Row(String fact, String name, String what, String where, String dump) {

        Pattern pattern() {
            return Pattern.compile(regex());
        }

        private String regex() {
            return Stream.of(where.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining("[\\w.$ -]*"));
        }
    }

    static List<Row> rows() {
        return Stream.of(TABLE.split("\n"))
                .map(line -> line.split(" *\\| *"))
                .map(row -> new Row(row[0], row[1], row[2], row[3], row[4]))
                .toList();
    }

    /** How the frames begin that are a sign in a library, as alternatives of a pattern. */
    static String frames(String sign) {
        return rows().stream()
                .filter(row -> row.fact.equals(sign))
                .map(row -> "|" + row.regex())
                .collect(Collectors.joining());
    }

    private static final List<Row> POOLS =
            rows().stream().filter(row -> row.fact.equals("POOL")).toList();

    /** Made when the first frame is read: {@link Sign}, which the reasons need, reads the table before. */
    private static final class Calls {
        static final Map<String, Library> BY_METHOD = new HashMap<>();

        static {
            for (WaitReason waits : WaitReason.values()) {
                rows().stream()
                        .filter(row -> row.fact.equals(waits.name()))
                        .forEach(row -> BY_METHOD.put(row.where, new Library(row.name, waits, row.what)));
            }
        }
    }

    /** Whether the threads of a pool answer requests. */
    static boolean answersRequests(String pool) {
        return POOLS.stream().anyMatch(row -> row.pattern().matcher(pool).matches());
    }

    /** Whether other threads read the requests that a pool answers. */
    static boolean readsAhead(String pool) {
        return POOLS.stream()
                .anyMatch(row ->
                        !row.what.isEmpty() && row.pattern().matcher(pool).matches());
    }

    /** Whether its connections lead to something other than a database: an HTTP service, or Redis. */
    boolean isClient() {
        return what.equals("client");
    }

    /** Whether its threads wait for whoever comes; in native code, so that the JVM says that they run. */
    boolean listens() {
        return what.equals("any of its connections");
    }

    /** Whether the one thread that accepts connections waits in it, for all who connect. */
    boolean stopsAcceptor() {
        return what.equals("acceptor");
    }

    /**
     * The library in one of whose listed methods a frame is; null if it is in none. The package of a library that is
     * packed into another one has further names in front.
     */
    static Library of(String method) {
        for (int at = 0; at >= 0; at = after(method, at)) {
            var library = Calls.BY_METHOD.get(method.substring(at));
            if (library != null) {
                return library;
            }
        }
        return null;
    }

    /** Where the next name of a package begins; -1 at the class. */
    private static int after(String method, int at) {
        int dot = method.indexOf('.', at);
        return dot < 0 || !Character.isLowerCase(method.charAt(at)) ? -1 : dot + 1;
    }

    /** The library for which a thread waits: of several, the one that uses the others. Null if it is in none. */
    static Library awaitedBy(List<Frame> frames) {
        Library found = null;
        for (Frame frame : frames) {
            if (frame.library() != null) {
                found = frame.library();
            } else if (frame.isOwn()) {
                // what calls the program does not wait
                break;
            }
        }
        return found;
    }
}
