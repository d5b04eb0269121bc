package threadlab.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import threadlab.child.ClassFiles;

/**
 * The class files of cells. JJava's class loader keeps their bytes, but exposes them neither as a resource nor through
 * a method, so they are read from private fields: in JJava 1.0a8, {@code JJavaLoaderDelegate.declaredClasses}, reached
 * from the loader, its inner class.
 */
public final class CellClassFiles implements ClassFiles {
    /** For {@link java.util.ServiceLoader}. */
    public CellClassFiles() {}

    @Override
    public byte[] read(String name, ClassLoader loader) {
        try (var file = loader.getResourceAsStream(name.replace('.', '/') + ".class")) {
            return file == null ? kept(name, loader) : file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] kept(String name, ClassLoader loader) {
        try {
            var kept = (Map<?, ?>) field(field(loader, "this$0"), "declaredClasses");
            return (byte[]) kept.get(name);
        } catch (ReflectiveOperationException | RuntimeException e) {
            var type = name.replaceAll(".*\\$", "");
            var words =
                    "the class file of %s cannot be read: its loader %s lacks the field %s of JJava 1.0a8; run tools/setup.py, then restart the kernel"
                            .formatted(type, loader.getClass().getName(), e.getMessage());
            throw new IllegalStateException(words, e);
        }
    }

    private static Object field(Object holder, String name) throws ReflectiveOperationException {
        var field = holder.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(holder);
    }
}
