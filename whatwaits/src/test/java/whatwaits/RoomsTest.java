package whatwaits;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Rules only compute, so that they also compile to JavaScript; whatever reaches a process or a file looks. */
class RoomsTest {

    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("whatwaits");

    @Test
    void rules_reach_nothing_outside_start_no_thread_and_leave_formats_alone() {
        String[] outside = {
            "whatwaits.look..",
            "whatwaits.command..",
            "java.nio..",
            "java.net..",
            "java.time..",
            "java.util.concurrent..",
            "java.lang.reflect..",
            "java.lang.management..",
            "javax..",
            "com.sun.."
        };
        noClasses()
                .that()
                .resideInAPackage("whatwaits.rules")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(outside)
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Thread.class, java.io.File.class, java.io.InputStream.class)
                .orShould()
                .callMethod(String.class, "format", String.class, Object[].class)
                .orShould()
                .callMethod(String.class, "formatted", Object[].class)
                .check(ALL);
    }

    @Test
    void names_are_not_written_by_the_rules_of_the_reader_s_language() {
        noClasses()
                .should()
                .callMethod(String.class, "toLowerCase")
                .orShould()
                .callMethod(String.class, "toUpperCase")
                .because("in Turkish the capital of i is another letter")
                .check(ALL);
    }

    @Test
    void a_jvm_is_reached_by_commands_and_beans_are_asked_only_in_this_one() {
        noClasses()
                .that()
                .doNotHaveSimpleName("OwnCommands")
                .and()
                .doNotHaveSimpleName("Gauges")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("javax.management..")
                .check(ALL);
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("javax.management.remote..", "java.rmi..")
                .check(ALL);
    }

    @Test
    void nothing_but_the_jdk_and_gson_is_needed() {
        String[] allowed = {"whatwaits..", "java..", "javax..", "jdk..", "com.sun..", "com.google.gson.."};
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(allowed)
                .check(ALL.that(resideOutsideOfPackage("whatwaits.command")));
    }

    @Test
    void the_library_does_without_its_command() {
        noClasses()
                .that()
                .resideOutsideOfPackage("whatwaits.command")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("whatwaits.command", "picocli..")
                .check(ALL);
    }
}
