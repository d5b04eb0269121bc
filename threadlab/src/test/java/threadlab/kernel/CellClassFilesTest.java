package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.net.URL;
import java.net.URLClassLoader;
import jdk.jshell.execution.LoaderDelegate;
import jdk.jshell.spi.ExecutionControl.ClassBytecodes;
import org.junit.jupiter.api.Test;

/** What {@link CellClassFiles} takes from JJava exists. */
class CellClassFilesTest {

    private static final String ORDER = "REPL.$JShell$12$Order";

    @Test
    void jjava_s_loader_keeps_the_class_files_of_cells() throws Exception {
        var made = assertDoesNotThrow(
                () -> Class.forName("org.dflib.jjava.kernel.execution.JJavaLoaderDelegate")
                        .getConstructor(),
                "a class other than JJavaLoaderDelegate loads the classes of cells");
        made.setAccessible(true);
        var delegate = (LoaderDelegate) made.newInstance();
        var file = ClassFile.of().build(ClassDesc.of(ORDER), _ -> {});
        delegate.load(new ClassBytecodes[] {new ClassBytecodes(ORDER, file)});
        var loader = delegate.findClass(ORDER).getClassLoader();
        assertArrayEquals(
                file,
                assertDoesNotThrow(
                        () -> new CellClassFiles().read(ORDER, loader),
                        "JJavaLoaderDelegate.declaredClasses can no longer be reached from the loader of JJava"));
    }

    @Test
    void of_another_loader_it_names_the_field_that_is_not_there() {
        var other = new URLClassLoader(new URL[0], null);
        var error = assertThrows(IllegalStateException.class, () -> new CellClassFiles().read(ORDER, other));
        var words = "the class file of Order cannot be read: its loader java.net.URLClassLoader lacks the field this$0"
                + " of JJava 1.0a8; run tools/setup.py, then restart the kernel";
        assertEquals(words, error.getMessage());
    }
}
