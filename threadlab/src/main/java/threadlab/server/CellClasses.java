package threadlab.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/** The class files of classes declared in cells, and of the cell classes that they use, for a JVM without a kernel. */
final class CellClasses {

    /** A class of a cell, or the class that the kernel wraps around it. */
    private static final Pattern OF_A_CELL = Pattern.compile("REPL/\\$JShell\\$[\\w$]+");

    /** Only the latter, whose fields are the variables of a cell. */
    private static final Pattern AROUND_A_CELL = Pattern.compile("REPL/\\$JShell\\$\\d+[A-Z]*");

    private CellClasses() {}

    /**
     * Collects the files.
     *
     * @param classes from cells or libraries; the latter add nothing
     * @return the bytes of each file, by the full name of its class
     * @throws IllegalArgumentException if they use a variable of a cell, which exists only in the kernel's JVM
     */
    static Map<String, byte[]> of(Collection<Class<?>> classes) {
        var files = new TreeMap<String, byte[]>();
        for (Class<?> type : classes) {
            var open = new ArrayDeque<String>();
            if (type.getName().startsWith(CellNames.PREFIX)) {
                open.add(type.getName());
            }
            while (!open.isEmpty()) {
                var name = open.pop();
                if (!files.containsKey(name)) {
                    files.put(name, classFile(name, type.getClassLoader()));
                    open.addAll(usedBy(name, files.get(name)));
                }
            }
        }
        return files;
    }

    /** JShell's loader offers the classes of cells as resources. */
    private static byte[] classFile(String name, ClassLoader loader) {
        try (var file = loader.getResourceAsStream(name.replace('.', '/') + ".class")) {
            return Objects.requireNonNull(file, () -> "the class file of " + name + " cannot be read")
                    .readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Collection<String> usedBy(String name, byte[] file) {
        var constants = ClassFile.of().parse(file).constantPool();
        for (var constant : constants) {
            if (constant instanceof FieldRefEntry field
                    && AROUND_A_CELL.matcher(field.owner().asInternalName()).matches()) {
                throw new IllegalArgumentException(
                        "%s uses the variable %s of the notebook, which a server in a JVM of its own does not have: pass its value as a property, as in set(\"shop.%2$s\", %2$s), or start the server in the kernel with start()"
                                .formatted(CellNames.plain(name), field.name().stringValue()));
            }
        }
        // names occur alone, in the types of fields and methods, and in annotations
        return StreamSupport.stream(constants.spliterator(), false)
                .filter(Utf8Entry.class::isInstance)
                .map(constant -> ((Utf8Entry) constant).stringValue())
                .flatMap(text -> OF_A_CELL.matcher(text).results().map(MatchResult::group))
                .map(path -> path.replace('/', '.'))
                .distinct()
                .toList();
    }
}
