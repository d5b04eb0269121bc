package threadlab.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import threadlab.trace.CodeOwner.Owner;

/** The package of Spring's own sample begins like Spring's: names alone would hide its frames. */
class CodeOwnerTest {

    private static final String SAMPLE = "org.springframework.samples.petclinic.";

    @TempDir
    private Path folder;

    @Test
    void classes_of_a_folder_on_the_class_path_are_the_program_s_own() throws Exception {
        var file = folder.resolve("target/classes/org/springframework/samples/petclinic/owner/OwnerController.class");
        Files.createDirectories(file.getParent());
        Files.createFile(file);
        var owner = CodeOwner.of(
                "org.springframework.boot.loader.launch.JarLauncher",
                "target/classes" + File.pathSeparator + "spring-core.jar",
                folder.toString());

        assertEquals(Owner.OWN, owner.of(SAMPLE + "owner.OwnerController"));
        assertEquals(Owner.OWN, owner.of(SAMPLE + "owner.OwnerController$$Lambda/0x0000000001"));
        assertEquals(Owner.LIBRARY, owner.of(SAMPLE + "owner.OwnerController$$SpringCGLIB$$0"));
        assertEquals(Owner.LIBRARY, owner.of("org.springframework.web.servlet.DispatcherServlet"));
    }

    @Test
    void the_package_of_the_main_class_is_the_program_s_own() {
        var owner = CodeOwner.of(SAMPLE + "PetClinicApplication", "/cannot/be/read.jar", "/");

        assertEquals(Owner.OWN, owner.of(SAMPLE + "vet.VetController"));
        assertEquals(Owner.LIBRARY, owner.of("org.springframework.web.servlet.DispatcherServlet"));
        assertEquals(Owner.JDK, owner.of("java.lang.Thread"));
        assertEquals(Owner.OWN, owner.of("shop.Shop"), "of no known library");
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
        var owner = CodeOwner.of("clinic.jar", "clinic.jar", folder.toString());

        assertEquals(Owner.OWN, owner.of(SAMPLE + "vet.VetController"));
        assertEquals(Owner.OWN, owner.of("elsewhere.Tax"));
        assertEquals(Owner.LIBRARY, owner.of("com.acme.of.no.known.Library"));
    }

    private static void entry(JarOutputStream jar, String type) throws IOException {
        jar.putNextEntry(new JarEntry("BOOT-INF/classes/" + type.replace('.', '/') + ".class"));
    }

    @Test
    void a_class_of_this_jvm_belongs_to_whom_it_was_loaded_from() {
        var owner = CodeOwner.here();

        assertEquals(Owner.OWN, owner.of(CodeOwnerTest.class.getName()), "a folder of the class path");
        assertEquals(Owner.LIBRARY, owner.of("com.tngtech.archunit.core.domain.JavaClass"), "a jar");
        assertEquals(Owner.THREADLAB, owner.of(Traces.class.getName()));
        assertEquals(Owner.JDK, owner.of("sun.nio.ch.NioSocketImpl"));
        assertEquals(Owner.OWN, owner.of("REPL.$JShell$19"), "a cell");
        assertEquals(Owner.KERNEL, owner.of("org.dflib.jjava.kernel.execution.CodeEvaluator"));
    }
}
