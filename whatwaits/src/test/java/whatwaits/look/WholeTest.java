package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeTest {

    @TempDir
    private Path folder;

    @Test
    void a_file_that_cannot_be_replaced_stays_and_nothing_else_is_left() throws IOException {
        var file = Files.writeString(folder.resolve("a.zip"), "before");
        var obstacle = Files.createDirectories(folder.resolve("a.zip.new/full"));
        var refused = assertThrows(IllegalArgumentException.class, () -> Whole.write(file, new byte[9]));
        assertTrue(refused.getMessage().startsWith(file + " cannot be written ("), refused.getMessage());
        assertTrue(refused.getMessage().endsWith("): free space there, or name a file elsewhere"));
        assertEquals("before", Files.readString(file));
        Files.delete(obstacle);
        Files.delete(obstacle.getParent());
        Whole.write(file, new byte[9]);
        assertArrayEquals(new byte[9], Files.readAllBytes(file));
        assertFalse(Files.exists(folder.resolve("a.zip.new")));
        var nowhere = folder.resolve("missing/a.zip");
        refused = assertThrows(IllegalArgumentException.class, () -> Whole.write(nowhere, new byte[9]));
        assertTrue(refused.getMessage().contains("(there is no such folder)"), refused.getMessage());
    }
}
