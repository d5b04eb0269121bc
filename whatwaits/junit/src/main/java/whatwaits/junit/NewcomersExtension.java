package whatwaits.junit;

import java.lang.reflect.Method;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import whatwaits.look.Newcomers;

/** Watches newcomers while a test method runs. */
final class NewcomersExtension implements InvocationInterceptor {

    @Override
    public void interceptTestMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        watch(test, context);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        watch(test, context);
    }

    private static void watch(Invocation<Void> test, ExtensionContext context) throws Throwable {
        try (var newcomers = Newcomers.watch(most(context))) {
            test.proceed(); // a test that fails by itself says why
            var late = newcomers.end();
            if (late.isTooLong()) {
                throw new AssertionError(late);
            }
            if (late.milliseconds() > 0) {
                context.publishReportEntry("newcomers", late.toString());
            }
        }
    }

    /** The bound of the method or, if it has none, of its class. */
    private static Duration most(ExtensionContext context) {
        var bound = AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), NoNewcomerWaits.class)
                .or(() -> AnnotationSupport.findAnnotation(
                        context.getRequiredTestClass(), NoNewcomerWaits.class, context.getEnclosingTestClasses()));
        return Duration.ofMillis(bound.orElseThrow().atMost());
    }
}
