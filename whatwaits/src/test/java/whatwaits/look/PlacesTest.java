package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.rules.Owner;

/** The package of Spring's own sample begins like Spring's: names alone would hide its frames. */
class PlacesTest {

    private static final String SAMPLE = "org.springframework.samples.petclinic.";

    @TempDir
    private Path folder;

    @Test
    void classes_of_a_folder_on_the_class_path_are_the_program_s_own() throws Exception {
        var file = folder.resolve("target/classes/org/springframework/samples/petclinic/owner/OwnerController.class");
        Files.createDirectories(file.getParent());
        Files.createFile(file);
        var owner = Places.of(
                "org.springframework.boot.loader.launch.JarLauncher",
                "target/classes" + File.pathSeparator + "spring-core.jar",
                folder.toString(),
                Set.of());

        assertEquals(Owner.OWN, owner.apply(SAMPLE + "owner.OwnerController"));
        assertEquals(Owner.OWN, owner.apply(SAMPLE + "owner.OwnerController$$Lambda/0x0000000001"));
        assertEquals(Owner.LIBRARY, owner.apply(SAMPLE + "owner.OwnerController$$SpringCGLIB$$0"));
        assertEquals(Owner.LIBRARY, owner.apply("org.springframework.web.servlet.DispatcherServlet"));
    }

    @Test
    void the_package_of_the_main_class_is_the_program_s_own() {
        var owner = Places.of(SAMPLE + "PetClinicApplication", "/cannot/be/read.jar", "/", Set.of());

        assertEquals(Owner.OWN, owner.apply(SAMPLE + "vet.VetController"));
        assertEquals(Owner.LIBRARY, owner.apply("org.springframework.web.servlet.DispatcherServlet"));
        assertEquals(Owner.JDK, owner.apply("java.lang.Thread"));
        assertEquals(Owner.OWN, owner.apply("shop.Shop"), "of no known library");
        assertEquals(Owner.OWN, owner.apply(SAMPLE + "reactor.Core"), "a package of its own by that name");
        assertEquals(Owner.LIBRARY, owner.apply(SAMPLE + "org.eclipse.jetty.Server"), "packed below the program");
    }

    @Test
    void classes_of_the_application_in_a_jar_are_its_own_and_those_of_its_libraries_are_not() throws Exception {
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Main-Class", "org.springframework.boot.loader.launch.JarLauncher");
        manifest.getMainAttributes().putValue("Start-Class", SAMPLE + "PetClinicApplication");
        try (var jar = new JarOutputStream(Files.newOutputStream(folder.resolve("clinic.jar")), manifest)) {
            entry(jar, SAMPLE + "PetClinicApplication");
            entry(jar, "elsewhere.Tax");
        }
        var owner = Places.of("clinic.jar", "clinic.jar", folder.toString(), Set.of());

        assertEquals(Owner.OWN, owner.apply(SAMPLE + "vet.VetController"));
        assertEquals(Owner.OWN, owner.apply("elsewhere.Tax"));
        assertEquals(Owner.LIBRARY, owner.apply("com.acme.of.no.known.Library"));
    }

    @Test
    void what_only_calls_the_program_is_no_part_of_it() {
        var owner = Places.of("till.start.Guard", "/cannot/be/read.jar", "/", Set.of("till.start.Guard"));

        assertEquals(Owner.LIBRARY, owner.apply("till.start.Guard"));
        assertEquals(Owner.LIBRARY, owner.apply("till.other.Pool"));
        assertEquals(Owner.OWN, owner.apply("Shop"));
    }

    private static void entry(JarOutputStream jar, String type) throws IOException {
        jar.putNextEntry(new JarEntry("BOOT-INF/classes/" + type.replace('.', '/') + ".class"));
    }

    @Test
    void a_class_of_this_jvm_belongs_to_whom_it_was_loaded_from() {
        var owner = Places.here();

        assertEquals(Owner.OWN, owner.apply(PlacesTest.class.getName()), "a folder of the class path");
        assertEquals(Owner.LIBRARY, owner.apply("com.tngtech.archunit.core.domain.JavaClass"), "a jar");
        assertEquals(Owner.JDK, owner.apply("sun.nio.ch.NioSocketImpl"));
        assertEquals(Owner.OWN, owner.apply("REPL.$JShell$19"), "a cell");
        assertEquals(Owner.LIBRARY, owner.apply("org.dflib.jjava.kernel.execution.CodeEvaluator"));
    }

    /** Opening one waits for the other end. */
    @Test
    void a_pipe_that_is_named_like_a_file_holds_nobody_up() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/sleep")), "no sleep here");
        var java = Files.createDirectories(folder.resolve("jdk/bin")).resolve("java");
        Files.copy(Path.of("/bin/sleep"), java);
        for (String pipe : List.of("app.jar", "jdk/release")) {
            var made = new ProcessBuilder("mkfifo", folder.resolve(pipe).toString()).start();
            assertEquals(0, made.waitFor());
        }
        var started = new ProcessBuilder(java.toString(), "60").start();
        try {
            assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
                Places.of("app.jar", "app.jar", folder.toString(), Set.of());
                assertEquals(List.of(), Places.Jar.of(folder.resolve("app.jar")).names());
                assertNull(LocalJvm.of(started.toHandle(), "").java());
            });
        } finally {
            started.destroyForcibly();
        }
    }
}
