package whatwaits.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test, or all tests of a class, fails if a new virtual thread has to wait for a carrier while it runs, and names the
 * line that held the carriers: a pinned thread, a slow file, native code, a computation.
 *
 * <p>All threads of the JVM share the carriers, so a test that runs beside it may be what holds them: the message names
 * the line. Where the machine is too busy to tell, the test passes, and the report has an entry {@code newcomers}.
 *
 * <p>On Java 25, see {@link whatwaits.look.Newcomers} on dumps.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NewcomersExtension.class)
public @interface NoNewcomerWaits {

    /** {@return how long a new virtual thread may wait for a carrier, in milliseconds, from 10 to 10,000} */
    int atMost() default 100;
}
