package threadlab.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SourceTest {

    private static final String TEXT = """
            class Shop {
                static class Till {
                    private int sum;

                    @Transactional
                    public void pay(Item item,
                            Offer offer) {
                        if (sum > 0) {
                            note(item);
                        }
                    }

                    private int sum(List<Integer> all) {
                        return all.size();
                    }
                }

                static class Other {
                    void pay() {
                    }
                }
            }
            """;

    @Test
    void an_edited_method_takes_the_place_of_the_first_one_of_its_name_with_its_annotations() {
        var edited = new Source(TEXT).with("""
                private final int most = 3;

                public void pay(Item item, Offer offer) {
                    sum++;
                }
                """);
        assertFalse(edited.contains("@Transactional"), edited);
        assertTrue(edited.contains("        private final int most = 3;\n"), edited);
        assertTrue(edited.contains("            sum++;\n"), edited);
        assertFalse(edited.contains("note(item)"), edited);
        assertTrue(edited.contains("    static class Other {\n        void pay() {\n        }\n"), edited);
    }

    @Test
    void a_repair_of_no_method_names_those_that_there_are() {
        refused("[Till.pay, Till.sum, Other.pay]", () -> new Source(TEXT).with("void buy() {\n}\n"));
    }

    @Test
    void a_line_is_within_the_method_whose_it_is() {
        var source = new Source(TEXT);
        assertTrue(source.within(8, "Till.pay"));
        assertFalse(source.within(8, "Till.sum"));
        assertFalse(source.within(13, "Till.pay"));
        assertTrue(source.within(13, "Till.sum"));
    }

    @Test
    void each_fault_is_in_methods_that_the_shop_has() throws IOException {
        var text = Files.readString(Path.of("..", "notebooks", "programs", "Shop.java"));
        var source = new Source(text);
        long lines = text.lines().count();
        for (Fault fault : Fault.values()) {
            for (String method : fault.methods) {
                assertTrue(IntStream.range(0, (int) lines).anyMatch(line -> source.within(line, method)), () -> method);
            }
        }
        assertEquals(10, Fault.values().length);
        var names = source.names().stream()
                .map(name -> name.replaceFirst(".*\\.", ""))
                .toList();
        assertEquals(Set.copyOf(names).size(), names.size(), () -> "a repair means one method: " + names);
    }
}
