package threadlab.kernel;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.magic.LineMagic;
import threadlab.support.Arguments;

/**
 * The line {@code %libraries servers}: adds libraries that only some notebooks need. They are installed beside the
 * kernel's own, so no network is needed. The kernel starts without them, so other notebooks do not wait for them.
 */
final class Libraries implements LineMagic<Void, BaseKernel> {

    private static final String ONLY = "servers";

    @Override
    public Void eval(BaseKernel kernel, List<String> names) throws Exception {
        var unknown = "there are no libraries \"%s\": write %%libraries %s";
        Arguments.require(names.equals(List.of(ONLY)), unknown, String.join(" ", names), ONLY);
        var jars = jars(threadlab().getParent().resolveSibling(ONLY));
        var before = List.of(System.getProperty("java.class.path").split(File.pathSeparator));
        if (before.containsAll(jars)) {
            System.out.println("The libraries for servers are already there.");
            return null;
        }
        kernel.getMagicsRegistry().evalLineMagic(kernel, "classpath", jars);
        kernel.evalBuilder("import threadlab.server.*;").eval();
        System.out.println("Added the libraries for servers: " + jars.size() + " jars.");
        return null;
    }

    private static List<String> jars(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IllegalStateException(
                    "the libraries for servers are not in " + folder + ": run tools/setup.py, then restart the kernel");
        }
        try (var files = Files.list(folder)) {
            var jars = files.map(Path::toString).filter(name -> name.endsWith(".jar"));
            return jars.sorted().toList();
        }
    }

    /** The jar with threadlab's classes or, before it is built, their folder. */
    static Path threadlab() throws URISyntaxException {
        var source = Libraries.class.getProtectionDomain().getCodeSource();
        return Path.of(source.getLocation().toURI());
    }
}
