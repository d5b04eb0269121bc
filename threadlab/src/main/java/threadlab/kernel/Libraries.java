package threadlab.kernel;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.magic.LineMagic;
import org.dflib.jjava.maven.MavenDependencyResolver;
import threadlab.support.Arguments;
import threadlab.support.Checksums;

/**
 * The line {@code %libraries NAME}: adds libraries that only some notebooks need, so that others do not wait for them.
 * Those for servers are installed beside the kernel's own. Others are fetched once, by a POM of that name in the folder
 * {@code libraries} of the resources, and must have the checksums that the course lists; where the set-up has put them
 * beside the kernel's own, as a bundle does, no network is needed.
 */
final class Libraries implements LineMagic<Void, BaseKernel> {

    private static final String SERVERS = "servers";
    private static final List<String> NAMES = List.of("partners", SERVERS, "tools", "webservers");

    @Override
    public Void eval(BaseKernel kernel, List<String> names) throws Exception {
        var unknown = "there are no libraries \"%s\": write %%libraries and one of %s";
        var name = names.size() == 1 && NAMES.contains(names.getFirst()) ? names.getFirst() : "";
        Arguments.require(!name.isEmpty(), unknown, String.join(" ", names), String.join(", ", NAMES));
        var folder = threadlab().getParent().resolveSibling(name.equals(SERVERS) ? name : "libraries/" + name);
        var jars = Files.isDirectory(folder) || name.equals(SERVERS) ? installed(folder) : fetched(name);
        var before = List.of(System.getProperty("java.class.path").split(File.pathSeparator));
        if (before.containsAll(jars)) {
            System.out.println("The libraries for " + name + " are already there.");
            return null;
        }
        kernel.getMagicsRegistry().evalLineMagic(kernel, "classpath", jars);
        if (name.equals(SERVERS)) {
            kernel.evalBuilder("import threadlab.server.*;").eval();
        }
        var size = jars.stream().mapToLong(jar -> new File(jar).length()).sum();
        System.out.println("Added the libraries for %s: %d jars, %.1f MB.".formatted(name, jars.size(), size / 1e6));
        return null;
    }

    private static List<String> installed(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IllegalStateException(
                    "the libraries for servers are not in " + folder + ": run tools/setup.py, then restart the kernel");
        }
        try (var files = Files.list(folder)) {
            var jars = files.map(Path::toString).filter(name -> name.endsWith(".jar"));
            return jars.sorted().toList();
        }
    }

    private static List<String> fetched(String name) throws Exception {
        System.out.println("Fetching the libraries for " + name + ", the first time only …");
        var pom = Files.createTempFile(name, ".xml");
        try (var stored = Libraries.class.getResourceAsStream("libraries/" + name + ".xml")) {
            Files.write(pom, stored.readAllBytes());
            var found = new MavenDependencyResolver().loadPomDependencies(pom.toFile());
            return Checksums.listed(found.values().stream()
                    .flatMap(List::stream)
                    .sorted()
                    .distinct()
                    .toList());
        } catch (IllegalStateException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(
                    "the libraries for %s could not be fetched (%s): connect to a network, or use a bundle of the course"
                            .formatted(name, e.getMessage()),
                    e);
        } finally {
            Files.delete(pom);
        }
    }

    /** The jar with threadlab's classes or, before it is built, their folder. */
    static Path threadlab() throws URISyntaxException {
        var source = Libraries.class.getProtectionDomain().getCodeSource();
        return Path.of(source.getLocation().toURI());
    }
}
