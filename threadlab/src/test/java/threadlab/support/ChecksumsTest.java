package threadlab.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which fetched jars are taken; the dives fetch real ones. */
class ChecksumsTest {

    private static final String LISTED = "com/squareup/okhttp3/okhttp-jvm/5.5.1/okhttp-jvm-5.5.1.jar";

    private static String jar(Path folder, String path) throws Exception {
        var file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, "not what it should be").toString();
    }

    @Test
    void a_jar_that_is_not_listed_is_left_out(@TempDir Path folder) throws Exception {
        assertEquals(List.of(), Checksums.listed(List.of(jar(folder, "org/other/1/other-1.jar"))));
    }

    @Test
    void a_jar_with_another_checksum_is_refused(@TempDir Path folder) throws Exception {
        var jars = List.of(jar(folder, LISTED));
        var said = assertThrows(IllegalStateException.class, () -> Checksums.listed(jars))
                .getMessage();
        assertTrue(said.startsWith(jars.getFirst() + " has the SHA-256 "), said);
    }
}
