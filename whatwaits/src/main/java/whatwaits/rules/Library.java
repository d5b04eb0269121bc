package whatwaits.rules;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A library whose threads wait for something that it limits, or for an answer, in any class of the JDK.
 *
 * @param name for people
 * @param waits what its callers wait for
 * @param what which connection, such as a client's to something other than a database, what a socket brings, or who waits
 */
record Library(String name, WaitReason waits, String what) {

    private static final String CLIENT = "client";
    private static final String ANY = "any of its connections";
    private static final String ACCEPTOR = "acceptor";

    /**
     * One row for each call: the library, what its callers wait for, which of that, the method. Each row has been
     * seen in a dump of the real library: see {@code LibraryTest}.
     */
    private static final String CALLS = """
            HikariCP | CONNECTION | | com.zaxxer.hikari.pool.HikariPool.getConnection
            Tomcat JDBC | CONNECTION | | org.apache.tomcat.jdbc.pool.ConnectionPool.borrowConnection
            Commons Pool | CONNECTION | | org.apache.commons.pool2.impl.GenericObjectPool.borrowObject
            DBCP | CONNECTION | | org.apache.commons.dbcp2.PoolingDataSource.getConnection
            c3p0 | CONNECTION | | com.mchange.v2.resourcepool.BasicResourcePool.awaitAvailable
            Druid | CONNECTION | | com.alibaba.druid.pool.DruidDataSource.takeLast
            Druid | CONNECTION | | com.alibaba.druid.pool.DruidDataSource.pollLast
            Agroal | CONNECTION | | io.agroal.pool.ConnectionPool.handlerFromSharedCache
            UCP | CONNECTION | | oracle.ucp.common.UniversalConnectionPoolImpl.getAvailableConnection
            Jedis | CONNECTION | client | redis.clients.jedis.util.Pool.getResource
            HttpClient 5 | CONNECTION | client | org.apache.hc.client5.http.impl.classic.InternalExecRuntime.acquireEndpoint
            HttpClient 4 | CONNECTION | client | org.apache.http.pool.AbstractConnPool.getPoolEntryBlocking
            the JDK's HttpClient | SOCKET | an HTTP answer | jdk.internal.net.http.HttpClientImpl.send
            the JDK's HttpClient | SOCKET | an HTTP answer | jdk.internal.net.http.ResponseSubscribers$HttpResponseInputStream.current
            Spring's RestClient | SOCKET | an HTTP answer | org.springframework.http.client.JdkClientHttpRequest.executeInternal
            OkHttp | SOCKET | an HTTP answer | okhttp3.internal.http2.Http2Stream.takeHeaders
            gRPC | SOCKET | an answer | io.grpc.stub.ClientCalls$ThreadlessExecutor.waitAndDrain
            Lettuce | SOCKET | an answer | io.lettuce.core.internal.Futures.awaitOrCancel
            MongoDB | SOCKET | a server of its cluster | com.mongodb.internal.connection.BaseCluster.selectServer
            Kafka | SOCKET | a server of its cluster | org.apache.kafka.clients.producer.KafkaProducer.waitOnMetadata
            Netty | SOCKET | any of its connections | io.netty.channel.epoll.Native.epollWait
            Resilience4j's bulkhead | PERMIT | | io.github.resilience4j.bulkhead.internal.SemaphoreBulkhead.tryEnterBulkhead
            Resilience4j's rate limiter | PERMIT | | io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter.waitForPermission
            Tomcat's limit on connections | PERMIT | acceptor | org.apache.tomcat.util.threads.LimitLatch.countUpOrAwait
            Helidon's limit on connections | PERMIT | acceptor | io.helidon.webserver.ServerListener.listen
            ActiveMQ's MemoryUsage | PERMIT | | org.apache.activemq.usage.Usage.waitForSpace
            H2's Transaction | LOCK | | org.h2.mvstore.tx.Transaction.waitForThisToEnd
            H2's MVTable | LOCK | | org.h2.mvstore.db.MVTable.doLock1
            Derby's ActiveLock | LOCK | | org.apache.derby.impl.services.locks.ActiveLock.waitForGrant
            Spring's concurrency limit | PERMIT | | org.springframework.util.ConcurrencyThrottleSupport.beforeAccess
            """;

    private static final Map<String, Library> BY_METHOD = new HashMap<>();

    static {
        for (String line : CALLS.split("\n")) {
            var row = line.split("\\|");
            var library = new Library(row[0].strip(), WaitReason.valueOf(row[1].strip()), row[2].strip());
            BY_METHOD.put(row[3].strip(), library);
        }
    }

    /** Whether its connections lead to something other than a database: an HTTP service, or Redis. */
    boolean isClient() {
        return what.equals(CLIENT);
    }

    /** Whether its threads wait for whoever comes; in native code, so that the JVM says that they run. */
    boolean listens() {
        return what.equals(ANY);
    }

    /** Whether the one thread that accepts connections waits in it, for all who connect. */
    boolean stopsAcceptor() {
        return what.equals(ACCEPTOR);
    }

    /**
     * The library in one of whose listed methods a frame is; null if it is in none. The package of a library that is
     * packed into another one has further names in front.
     */
    static Library of(String method) {
        for (int at = 0; at >= 0; at = after(method, at)) {
            var library = BY_METHOD.get(method.substring(at));
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
