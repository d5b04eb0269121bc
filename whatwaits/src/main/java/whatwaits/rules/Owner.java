package whatwaits.rules;

import java.util.function.Function;
import java.util.regex.Pattern;

/** Whose code a class is. */
public enum Owner {
    /** The program's. */
    OWN,
    /** The JDK's. */
    JDK,
    /** A library's, or a class that a library has generated, such as a proxy. */
    LIBRARY;

    private static final Pattern JDKS = Pattern.compile("^(java|javax|jdk|sun|com\\.sun)\\.");
    private static final Pattern GENERATED =
            Pattern.compile("\\$\\$(SpringCGLIB|FastClass|EnhancerBy)|^jdk\\.proxy|\\$Proxy\\d|ByteBuddy");

    /**
     * Libraries between a request and the program, and between the program and what it waits for. The package of one that
     * is packed into another has further names in front.
     */
    private static final Pattern LIBRARIES = Pattern.compile("^(([a-z_]\\w*\\.)*?("
            + "org\\.(springframework|apache|aspectj|eclipse|postgresql|hibernate|jboss|jooq|h2|mariadb|slf4j|glassfish"
            + "|junit|codehaus|dflib\\.jjava|xnio)"
            + "|com\\.(mysql|microsoft\\.sqlserver|zaxxer|mchange|mongodb|fasterxml|google\\.common|codahale|alibaba\\.druid)"
            + "|io\\.(agroal|netty|undertow|vertx|micrometer|micronaut|quarkus|helidon|lettuce|grpc|github\\.resilience4j))"
            + "|oracle|reactor|kotlin|kotlinx|scala|redis\\.clients|okhttp3|okio|jakarta|ch\\.qos\\.logback|tools\\.jackson"
            + ")\\.");

    /**
     * {@return who owns a class by its name alone: the program, unless the JDK or a well-known library does}
     *
     * @param type the class, as a frame of a stack names it
     */
    public static Owner byName(String type) {
        return of(type, unknown -> null);
    }

    /**
     * {@return who owns a class below the program's own package: the program, unless a library is packed there}
     *
     * @param rest what follows the program's package in its name
     */
    public static Owner ofPacked(String rest) {
        return rest.matches("(org|com|io)\\..*") ? byName(rest) : OWN;
    }

    /**
     * {@return who owns a class by the place that it comes from} Its name decides only where that place is not known,
     * because a program's package may begin like that of a library.
     *
     * @param type the class, as a frame of a stack names it
     * @param places the owner of a class by its place; null where that is not known
     */
    public static Owner of(String type, Function<String, Owner> places) {
        if (GENERATED.matcher(type).find()) {
            return LIBRARY;
        }
        if (JDKS.matcher(type).find()) {
            return JDK;
        }
        int lambda = type.indexOf("$$Lambda");
        var placed = places.apply(lambda < 0 ? type : type.substring(0, lambda));
        if (placed != null) {
            return placed;
        }
        return LIBRARIES.matcher(type).find() ? LIBRARY : OWN;
    }
}
