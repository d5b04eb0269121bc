package threadlab.homework;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class VariantTest {
    // as tools/teach/pseudonyms.py makes them
    private static final List<String> CLASS =
            List.of("aaaaaaaa", "k3m7q2a6", "bbbbbbbr", "qwertyuu", "zzzzzzzj", "2345672x", "abcdefgl", "hijklmnc");

    @Test
    void a_learner_s_numbers_are_the_same_on_every_machine_and_neighbours_have_others() {
        var numbers = CLASS.stream()
                .map(name -> new Variant("term", name))
                .map(one -> List.of(one.number("λ", 300, 270, 240, 330), one.number("ms", 40, 35, 45, 50)))
                .toList();
        // computed by Python's hashlib
        assertEquals(
                "[[330, 40], [330, 35], [330, 50], [240, 40], [330, 45], [240, 45], [240, 50], [240, 35]]",
                numbers.toString());
        assertTrue(new TreeSet<>(numbers.stream().map(List::toString).toList()).size() > 4, numbers.toString());
    }

    @Test
    void another_class_has_other_numbers() {
        var found = Stream.of("a", "b", "c", "d", "e", "f")
                .map(seed -> new Variant(seed, CLASS.getFirst()).number("λ", 300, 270, 240, 330))
                .collect(Collectors.toSet());
        assertTrue(found.size() > 1, found.toString());
    }

    @Test
    void a_mistyped_pseudonym_is_refused_and_gives_nobody_s_numbers() {
        for (var name : CLASS) {
            for (int i = 0; i < name.length(); i++) {
                char other = name.charAt(i) == 'x' ? 'y' : 'x';
                var mistyped = name.substring(0, i) + other + name.substring(i + 1);
                assertThrows(IllegalArgumentException.class, () -> new Variant("term", mistyped), mistyped);
            }
        }
        for (var none : new String[] {"", null, "k3m7q2a", "K3M7Q2AX", "k3m7q2a0"}) {
            assertThrows(IllegalArgumentException.class, () -> new Variant("term", none));
        }
    }

    @Test
    void a_missing_answer_is_named_before_it_is_handed_in() {
        for (var missing : new Object[] {null, Double.NaN, "", Set.of()}) {
            assertTrue(Received.answer(missing).startsWith("✎ not answered yet"), "" + missing);
        }
        assertTrue(Received.answer(1.36).startsWith("Received: 1.36."));
        assertTrue(Received.answer(Set.of("A")).startsWith("Received: an answer that compiles."));
    }
}
