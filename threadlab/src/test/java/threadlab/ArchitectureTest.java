package threadlab;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.PrintStream;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which package may use which: data flows one way, from the experiment to the page. */
class ArchitectureTest {

    private static final JavaClasses HOUSE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("threadlab");

    /** Each package with the other packages of this library that it may use. */
    private static final Map<String, Set<String>> ARROWS = Map.ofEntries(
            entry("support", Set.of()),
            entry("cells", Set.of()),
            entry("measure", Set.of("support", "guess")),
            entry("trace", Set.of()),
            entry("inspect", Set.of("support", "measure")),
            entry("server", Set.of("support", "measure", "child", "load")),
            entry("cases", Set.of("support", "measure", "child", "load", "claim", "server")),
            entry("carriers", Set.of("support", "measure")),
            entry("child", Set.of("support", "measure")),
            entry("load", Set.of("support", "measure", "child")),
            entry("guess", Set.of("support")),
            entry("running", Set.of("support")),
            entry("widget", Set.of()),
            entry("plot", Set.of("support", "measure", "guess")),
            entry("claim", Set.of("support", "measure", "guess")),
            entry("homework", Set.of("support")),
            entry(
                    "kernel",
                    Set.of(
                            "support",
                            "measure",
                            "child",
                            "plot",
                            "claim",
                            "trace",
                            "guess",
                            "running",
                            "widget",
                            "cells",
                            "homework")));

    @Test
    void every_package_has_its_place_in_the_picture() {
        var packages = HOUSE.stream()
                .map(JavaClass::getPackage)
                .map(JavaPackage::getRelativeName)
                .collect(Collectors.toSet());
        assertEquals(ARROWS.keySet(), packages);
    }

    @Test
    void a_package_uses_only_those_that_its_arrows_name() {
        ARROWS.forEach((name, others) -> {
            var allowed = others.stream().map(other -> "threadlab." + other).toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage("threadlab." + name)
                    .should()
                    .dependOnClassesThat(resideInAPackage("threadlab..")
                            .and(not(resideInAPackage("threadlab." + name)))
                            .and(not(resideInAnyPackage(allowed))))
                    .check(HOUSE);
        });
    }

    @ParameterizedTest(name = "{1} is known to {0} only")
    @CsvSource({
        "threadlab.kernel threadlab.widget, org.dflib.jjava..",
        "threadlab.inspect threadlab.trace, whatwaits..",
        "threadlab.plot threadlab.kernel, org.knowm.xchart.. java.awt.. javax.imageio..",
        "threadlab.server, org.springframework.. org.postgresql.. io.zonky.. com.zaxxer.."
    })
    void libraries_stay_with_those_who_show_or_serve(String homes, String libraries) {
        noClasses()
                .that()
                .resideOutsideOfPackages(homes.split(" "))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(libraries.split(" "))
                .check(HOUSE);
    }

    @Test
    void charts_and_claims_know_tables_and_no_experiment() {
        classes()
                .that()
                .resideInAnyPackage("threadlab.plot", "threadlab.claim")
                .should()
                .onlyDependOnClassesThat(
                        not(resideInAPackage("threadlab.measure")).or(describe("read tables", type -> Set.of(
                                        "Results", "Numbers", "Kind", "Arguments", "CpuShare")
                                .contains(type.getSimpleName()))))
                .check(HOUSE);
    }

    /** The JVMs' options set it: the kernel's, the children's and Surefire's. */
    @Test
    void no_class_chooses_the_locale_of_its_numbers() {
        noClasses()
                .should()
                .callMethod(String.class, "format", Locale.class, String.class, Object[].class)
                .orShould()
                .callMethod(PrintStream.class, "printf", Locale.class, String.class, Object[].class)
                .because("all numbers are written alike if the locale is set once")
                .check(HOUSE);
        noClasses()
                .should()
                .callMethod(String.class, "toLowerCase")
                .orShould()
                .callMethod(String.class, "toUpperCase")
                .because("in Turkish the capital of i is another letter")
                .check(HOUSE);
    }

    /** A time by the clock on the wall would be wrong when somebody sets it. */
    @Test
    void what_measures_and_waits_reads_no_clock_that_can_be_set() {
        noClasses()
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(LocalDateTime.class, "now")
                .check(HOUSE);
    }
}
