package whatwaits.rules;

/** A figure that a service reports about one of its pools. */
public enum Gauge {
    /** Connections that are in use. */
    CONNECTIONS_IN_USE,
    /** Connections that a pool may open. */
    CONNECTIONS,
    /** Threads that wait for a connection. */
    CONNECTIONS_WAITING,
    /** Threads that Tomcat may start. */
    TOMCAT_THREADS
}
