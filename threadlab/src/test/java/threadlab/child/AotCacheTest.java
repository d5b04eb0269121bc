package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static threadlab.Expect.nothingLeft;
import static threadlab.Expect.refused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cache is made, used and removed; if none is made, the reason is given. */
@Tag("deep")
class AotCacheTest {

    @TempDir
    private Path folder;

    @AfterEach
    void nothingIsLeft() throws IOException {
        nothingLeft();
    }

    private ChildJvm child(String body) throws IOException {
        var file = folder.resolve("Learner.java");
        Files.writeString(file, "class Learner { public static void main(String[] arguments) { %s } }".formatted(body));
        return ChildJvm.of(file.toString()).quiet();
    }

    /** The JVM's own words on where it loaded its program's class from. */
    private List<String> loaded(ChildJvm child) throws InterruptedException {
        return child.options("-Xlog:class+load")
                .run()
                .output()
                .lines()
                .filter(line -> line.contains(" Learner source: "))
                .map(line -> line.replaceAll(".* source: |:.*| \\(.*", ""))
                .toList();
    }

    @Test
    void a_later_run_has_its_classes_from_the_cache() throws Exception {
        var body = "System.out.println(1);";
        try (var cache = AotCache.trainedBy(child(body))) {
            assertEquals(List.of("shared objects file"), loaded(child(body).aotCache(cache)));
        }
        assertEquals(List.of("file"), loaded(child(body)), "without the cache");
    }

    @Test
    void a_training_that_makes_no_cache_says_how_it_ended() throws Exception {
        // a failing program also leaves a cache; a JVM that does not start leaves none
        var broken = child("").options("-XX:+NoSuchOption");
        refused("the training run created no AOT cache: Learner ", () -> AotCache.trainedBy(broken));
    }
}
